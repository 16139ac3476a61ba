// Work without Python's lock: how Ctrl-C reaches it, and how it ends before Python does.
//
// A thread that asks for the lock when Python is shutting down is ended by force, which C++ does not survive
// ("terminate called"). Daemon threads would. So a function called at Python's exit cancels all such work, waits for
// it, and rejects new work.
#pragma once

#include <nanobind/nanobind.h>

#include "support/parallel.hpp"

namespace bamdp {

inline std::atomic<std::thread::id> closer{};  // the thread in which Python is ending
inline std::atomic<int> unlocked{0};           // calls in progress
inline std::atomic<int> forks{0};              // before this process: calls of its parents are not in progress here

// With the lock. Throws if Ctrl-C was pressed, or if Python ends: by SystemExit, silently.
inline void check_locked() {
    const std::thread::id ending = closer;
    const bool over = ending != std::thread::id{} && ending != std::this_thread::get_id();
    if (over) PyErr_SetNone(PyExc_SystemExit);
    if (over || PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

// Without Python's lock as long as it lives. It is counted for longer than that: members end in reverse order.
class Unlocked {
    struct Counted {
        Counted() {
            check_locked();
            ++unlocked;
        }
        ~Counted() {
            if (process == forks) --unlocked;
        }
        const int process = forks;
    };
    Counted counted_;
    nanobind::gil_scoped_release release_;
};

// Runs `work(pause)` without Python's lock; every 50 ms it checks for Ctrl-C and calls `on_tick`.
template <class Work>
auto responsive(const nanobind::object& on_tick, Work work) {
    const auto callback = [&] {
        const nanobind::gil_scoped_acquire gil;
        check_locked();
        if (!on_tick.is_none()) on_tick();
    };
    const Unlocked no_lock;
    return work(Pause(callback));
}

// In the child of a fork, which has none of the parent's other threads.
inline void forget_unlocked() {
    ++forks;
    unlocked = 0;
}

// At Python's exit, while other threads can still have the lock. It doesn't wait forever: user functions may not
// return.
inline void close_unlocked() {
    closer = std::this_thread::get_id();
    const nanobind::gil_scoped_release release;
    for (int i = 0; i < 3000 && unlocked > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace bamdp
