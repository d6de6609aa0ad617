// The memory of batches. Each batch needs the same few large blocks as the previous one, which are
// freed on another thread and much later: in a heap they are soon divided into smaller ones, and
// new ones are taken from the system. So they are kept, and reused unchanged.

#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace ptp::engine {

// Blocks of whole pages. [any]
class BlockPool {
public:
    BlockPool() = default;
    ~BlockPool();
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;

    // Returns a block of at least this size, aligned to a page, or nullptr if the system has no
    // memory left. Waiting blocks of other sizes are returned to the system if all together would
    // exceed the maximum that was in use.
    [[nodiscard]] void* take(std::size_t bytes);

    // Keeps the block for another take(); returns false for memory that is not of the pool.
    bool give(void* block);

    struct Sizes {
        std::size_t used = 0;
        std::size_t waiting = 0;
    };
    [[nodiscard]] Sizes sizes() const;

    // Called around fork(), so that the child does not have the mutex locked by a thread that it
    // does not have.
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    struct Block {
        void* begin = nullptr;
        std::size_t bytes = 0;
        bool is_used = false;
    };

    // Called with the mutex held.
    [[nodiscard]] Sizes counted() const;
    void release_waiting();

    mutable std::mutex mutex_;   // guards the following members
    std::vector<Block> blocks_;  // few; the latest one to be taken or given is the last
    std::size_t most_used_bytes_ = 0;
};

// Allocates large tensors within a LoaderMemory from a pool from now on. Once in a process; later
// calls do nothing. [main]
void pool_loader_memory();

// While it exists, this thread allocates tensors of batches.
class LoaderMemory {
public:
    LoaderMemory();
    ~LoaderMemory();
    LoaderMemory(const LoaderMemory&) = delete;
    LoaderMemory& operator=(const LoaderMemory&) = delete;

private:
    bool before_;
};

}  // namespace ptp::engine
