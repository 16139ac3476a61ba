// The learned state of an object as bytes: written (Writer), and read into a new object made with the same settings
// (Reader).
//
// Each class declares its state once, `template <class Archive> void archive(Archive& a)`, for both directions. What is
// read is not trusted: sizes are compared with what is left to read, and every class checks its numbers (`a.check`)
// before anything uses them. An object that has rejected its state must be discarded.
#pragma once

#include <cstring>
#include <string_view>

#include "support/common.hpp"

namespace bamdp {

template <class T>
concept Number = std::is_arithmetic_v<T>;

inline constexpr std::int64_t MOST_COUNTED = std::int64_t{1} << 53;  // doubles still count up to here

class Writer {
 public:
    static constexpr bool reading = false;

    // Numbers, and vectors of numbers.
    template <class... Parts>
    void operator()(const Parts&... parts) {
        (put(parts), ...);
    }
    static void check(bool, const char*) {}  // what is in memory is right
    static void fits(std::uint64_t, std::size_t) {}

    const std::string& bytes() const { return bytes_; }

 private:
    template <Number T>
    void put(const T& number) {
        append(&number, sizeof(T));
    }
    template <Number T>
    void put(const std::vector<T>& numbers) {
        put(static_cast<std::uint64_t>(numbers.size()));
        append(numbers.data(), numbers.size() * sizeof(T));
    }

    void append(const void* data, std::size_t size) {
        if (size > 0) bytes_.append(static_cast<const char*>(data), size);
    }

    std::string bytes_;
};

class Reader {
 public:
    static constexpr bool reading = true;

    explicit Reader(std::string_view bytes) : left_(bytes) {}

    template <class... Parts>
    void operator()(Parts&... parts) {
        (get(parts), ...);
    }
    static void check(bool right, const char* what) {
        if (!right) throw std::invalid_argument(what);
    }
    // Check that `parts` of at least `bytes` each are left to read, before memory is allocated for them.
    void fits(std::uint64_t parts, std::size_t bytes) const {
        check(parts <= left_.size() / bytes, "it ends too early");
    }
    void finish() const { check(left_.empty(), "it is longer than it should be"); }

 private:
    template <Number T>
    void get(std::vector<T>& numbers) {
        std::uint64_t size = 0;
        get(size);
        fits(size, sizeof(T));
        numbers.resize(static_cast<std::size_t>(size));
        take(numbers.data(), numbers.size() * sizeof(T));
    }
    template <Number T>
    void get(T& number) {
        if constexpr (std::is_same_v<T, bool>) {
            std::uint8_t byte = 0;
            take(&byte, 1);
            check(byte <= 1, "invalid boolean");
            number = byte == 1;
        } else {
            take(&number, sizeof(T));
        }
    }

    void take(void* data, std::size_t size) {
        check(size <= left_.size(), "it ends too early");
        if (size > 0) std::memcpy(data, left_.data(), size);
        left_.remove_prefix(size);
    }

    std::string_view left_;
};

}  // namespace bamdp
