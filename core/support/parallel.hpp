// Numbered parts of a computation on several threads, in ascending order, interruptible from the calling one.
#pragma once

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "support/common.hpp"

namespace bamdp {

using Clock = std::chrono::steady_clock;

// How a long computation can be interrupted: it calls this often, which calls back about every 50 ms and may throw.
class Pause {
 public:
    explicit Pause(std::function<void()> callback) : callback_(std::move(callback)) {}
    void operator()() {
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        callback_();
    }

 private:
    std::function<void()> callback_;
    Clock::time_point last_ = Clock::now();
};

// What a part calls often: in the calling thread it may throw, in the others it ends a part that is no longer wanted.
class Tick {
 public:
    Tick(const std::atomic<bool>& stop, Pause* pause) : stop_(stop), pause_(pause) {}

    void operator()() const {
        if (stop_) throw Stopped{};
        if (pause_ != nullptr) (*pause_)();
    }

    struct Stopped {};

 private:
    const std::atomic<bool>& stop_;
    Pause* pause_;
};

// `work(part, thread, tick)` for each part below `parts`. Parts are begun in order, so one may wait for those before
// it.
template <class Work>
void in_parallel(std::size_t parts, std::size_t threads, Pause pause, Work work) {
    std::atomic<std::size_t> next{0}, busy{0};
    std::atomic<bool> stop{false};
    std::mutex failure_lock;
    std::exception_ptr failure;
    const auto run = [&](std::size_t thread, Pause* own) {
        try {
            const Tick tick(stop, own);
            for (std::size_t part; (part = next++) < parts;) work(part, thread, tick);
            for (; own != nullptr && busy > 0; tick()) std::this_thread::sleep_for(std::chrono::microseconds(50));
        } catch (const Tick::Stopped&) {
        } catch (...) {
            const std::lock_guard lock(failure_lock);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(threads, parts); ++i) {
        ++busy;
        helpers.emplace_back([&, i] {
            run(i, nullptr);
            --busy;
        });
    }
    run(0, &pause);
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace bamdp
