// Who is at work on an object: one call that has it alone, or any number that read it. A call that can't join them is rejected.
//
// Long calls run without Python's lock, so that other threads come in meanwhile, and functions of the user's that are called back.
#pragma once

#include <atomic>
#include <forward_list>
#include <optional>
#include <stdexcept>
#include <vector>

namespace bamdp {

class Busy : public std::runtime_error {
 public:
    Busy() : std::runtime_error("busy: another call of this agent or belief is still running; each thread needs its own agent, "
                                "and on_tick must not call the agent") {}
};

// A base of all objects that Python can call. A copy is in nobody's use.
class InUse {
 public:
    InUse() = default;
    InUse(const InUse&) noexcept {}
    InUse& operator=(const InUse&) noexcept { return *this; }

 protected:
    // This object reads another one, which lives at least as long, whenever it is at work.
    void reads(const InUse& other) { read_.push_back(&other); }

 private:
    friend class Alone;
    friend class Reading;
    static constexpr int ALONE = -1;
    mutable std::atomic<int> users_{0};  // how many read it, or ALONE
    std::vector<const InUse*> read_;
};

// Nobody changes the object meanwhile.
class Reading {
 public:
    explicit Reading(const InUse& object) : users_(object.users_) {
        int others = users_;
        do {
            if (others == InUse::ALONE) throw Busy();
        } while (!users_.compare_exchange_weak(others, others + 1));
    }
    Reading(const Reading&) = delete;
    ~Reading() { --users_; }

 private:
    std::atomic<int>& users_;
};

// Nobody else uses the object meanwhile, and nobody changes what it reads.
class Alone {
 public:
    explicit Alone(const InUse& object) : held_(object.users_) {
        for (const InUse* other : object.read_) reading_.emplace_front(*other);
    }

 private:
    struct Held {
        explicit Held(std::atomic<int>& users) : users(users) {
            int nobody = 0;
            if (!users.compare_exchange_strong(nobody, InUse::ALONE)) throw Busy();
        }
        Held(const Held&) = delete;
        ~Held() { users = 0; }
        std::atomic<int>& users;
    };
    Held held_;
    std::forward_list<Reading> reading_;
};

// Nobody changes the object meanwhile, nor the tables that fill as it is asked, where it has such.
template <class T>
class Consulting {
 public:
    explicit Consulting(const T& object) : reading_(object) {
        if constexpr (requires { object.tables; }) tables_.emplace(object.tables);
    }

 private:
    Reading reading_;
    std::optional<Alone> tables_;
};

// A method as a function that has the object alone, or that reads it.
template <class T, class Result, class... Arguments>
auto alone(Result (T::*method)(Arguments...)) {
    return [method](T& self, Arguments... arguments) -> Result {
        const Alone use(self);
        return (self.*method)(arguments...);
    };
}

template <class T, class Result, class... Arguments>
auto reading(Result (T::*method)(Arguments...) const) {
    return [method](const T& self, Arguments... arguments) -> Result {
        const Reading use(self);
        return (self.*method)(arguments...);
    };
}

}  // namespace bamdp
