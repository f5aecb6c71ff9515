// Reusable storage. A Buffer grows on request, never shrinks by itself and never initialises its
// items. So a workspace allocates nothing for a board that needs no more room than earlier boards.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace mines {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable<T>::value, "Buffer moves its contents as bytes");

  public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    // Makes room for `count` items and keeps the present items. Earlier pointers become invalid.
    // Never returns null.
    T* need(std::size_t count) {
        if (count > capacity_ || data_ == nullptr) grow(count);
        return data_;
    }
    T& operator[](std::ptrdiff_t i) {
        assert(has(i));
        return data_[i];
    }
    const T& operator[](std::ptrdiff_t i) const {
        assert(has(i));
        return data_[i];
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }

    // Frees the memory if it is more than `limit` bytes.
    void trim(std::size_t limit) {
        if (bytes() <= limit) return;
        std::free(data_);
        data_ = nullptr;
        capacity_ = 0;
    }

  private:
    bool has(std::ptrdiff_t i) const { return i >= 0 && static_cast<std::size_t>(i) < capacity_; }
    void grow(std::size_t count) {
        std::size_t wanted = capacity_ + capacity_ / 2 + 64;
        if (wanted < count) wanted = count;
        void* moved = std::realloc(static_cast<void*>(data_), wanted * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = wanted;
    }

    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace mines
