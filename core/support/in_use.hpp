// The calls in progress on an object: one exclusive call, or any number of readers. A conflicting call is rejected.
//
// Long calls run without Python's lock, so other threads and the user's callbacks can call the object meanwhile.
#pragma once

#include <forward_list>

#include "support/common.hpp"

namespace bamdp {

class Busy : public std::runtime_error {
 public:
    Busy()
        : std::runtime_error(
              "busy: another call of this agent or belief is still running; each thread needs its own agent, "
              "and on_tick must not call the agent") {}
};

// Base class of all objects that Python can call. A copy starts unused.
class InUse {
 public:
    InUse() = default;
    InUse(const InUse&) noexcept {}
    InUse& operator=(const InUse&) noexcept { return *this; }

 protected:
    // This object reads another one, which lives at least as long, whenever it is in use.
    void reads(const InUse& other) { read_.push_back(&other); }

 private:
    friend class ExclusiveLock;
    friend class SharedLock;
    static constexpr int EXCLUSIVE = -1;
    mutable std::atomic<int> users_{0};  // how many read it, or EXCLUSIVE
    std::vector<const InUse*> read_;
};

// A shared lock.
class SharedLock {
 public:
    explicit SharedLock(const InUse& object) : users_(object.users_) {
        int others = users_;
        do {
            if (others == InUse::EXCLUSIVE) throw Busy();
        } while (!users_.compare_exchange_weak(others, others + 1));
    }
    SharedLock(const SharedLock&) = delete;
    ~SharedLock() { --users_; }

 private:
    std::atomic<int>& users_;
};

// An exclusive lock on the object, and a shared one on what it reads.
class ExclusiveLock {
 public:
    explicit ExclusiveLock(const InUse& object) : held_(object.users_) {
        for (const InUse* other : object.read_) reading_.emplace_front(*other);
    }

 private:
    struct Held {
        explicit Held(std::atomic<int>& users) : users(users) {
            int nobody = 0;
            if (!users.compare_exchange_strong(nobody, InUse::EXCLUSIVE)) throw Busy();
        }
        Held(const Held&) = delete;
        ~Held() { users = 0; }
        std::atomic<int>& users;
    };
    Held held_;
    std::forward_list<SharedLock> reading_;
};

// A shared lock on the object, and an exclusive one on its tables that are filled on demand, if it has any.
template <class T>
class CacheLock {
 public:
    explicit CacheLock(const T& object) : reading_(object) {
        if constexpr (requires { object.tables; }) tables_.emplace(object.tables);
    }

 private:
    SharedLock reading_;
    std::optional<ExclusiveLock> tables_;
};

}  // namespace bamdp
