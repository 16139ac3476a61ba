// How a long computation can be interrupted: it calls `pause` often, which calls back now and then and may throw.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace bamdp {

using Clock = std::chrono::steady_clock;

// Calls back about every 50 ms.
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

}  // namespace bamdp
