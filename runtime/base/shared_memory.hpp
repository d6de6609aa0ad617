// Memory that a process shares with the children that it forks.

#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <memory>
#include <new>
#include <system_error>
#include <type_traits>

namespace ptp {

// Holds a T in memory that the children of this process, which are copies otherwise, share with it:
// what a child has written there remains when it crashes. Copies refer to the same T.
template <class T>
class SharedMemory {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    // Constructs an empty T. Throws std::system_error.
    SharedMemory() {
        void* const memory =
            ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::system_error(errno, std::generic_category(), "no memory to share");
        }
        value_ = {new (memory) T{}, [](T* value) { ::munmap(value, sizeof(T)); }};
    }

    T& operator*() const { return *value_; }
    T* operator->() const { return value_.get(); }

private:
    std::shared_ptr<T> value_;
};

}  // namespace ptp
