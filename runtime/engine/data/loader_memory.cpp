// The pool of blocks, and the allocator of libtorch that uses it in loader threads.

#include "engine/data/loader_memory.hpp"

#include "engine/component/compat.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMinPooledBytes = std::size_t{1} << 18;

std::size_t whole_pages(std::size_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
}

// Never deleted: tensors may outlive everything else at the end of the process.
BlockPool& loader_pool() {
    static auto& pool = *new BlockPool;  // NOLINT: never deleted
    return pool;
}

thread_local bool makes_batches = false;

void give_to_pool(void* block) {
    loader_pool().give(block);
}

// libtorch's own allocator, global since a deleter has no other argument.
c10::Allocator*& other_allocator() {
    static c10::Allocator* allocator = nullptr;
    return allocator;
}

// Handles large tensors of batches; libtorch's own allocator handles the others.
class LoaderAllocator final : public compat::CpuAllocator {
public:
    // Returns the deleter for memory without other information about its owner.
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override {
        return [](void* block) {
            if (!loader_pool().give(block)) {
                other_allocator()->raw_deallocate(block);
            }
        };
    }

private:
    [[nodiscard]] c10::DataPtr take(std::size_t bytes) const override {
        if (makes_batches && bytes >= kMinPooledBytes) {
            if (void* const block = loader_pool().take(bytes); block != nullptr) {
                return {block, block, give_to_pool, c10::Device(c10::DeviceType::CPU)};
            }
        }
        return other_allocator()->allocate(bytes);
    }
};

}  // namespace

BlockPool::~BlockPool() {
    release_waiting();
}

void* BlockPool::take(std::size_t bytes) {
    const std::size_t size = whole_pages(std::max<std::size_t>(bytes, 1));
    const std::lock_guard<std::mutex> lock(mutex_);
    const Sizes before = counted();
    // The latest one is the most likely to be in a cache.
    const auto waiting = std::find_if(blocks_.rbegin(), blocks_.rend(), [size](const Block& block) {
        return !block.is_used && block.bytes == size;
    });
    if (waiting != blocks_.rend()) {
        waiting->is_used = true;
        most_used_bytes_ = std::max(most_used_bytes_, before.used + size);
        return waiting->begin;
    }
    if (before.used + before.waiting + size > std::max(most_used_bytes_, before.used + size)) {
        release_waiting();
    }
    blocks_.emplace_back();  // first: it may throw
    void* const begin =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) {
        blocks_.pop_back();
        return nullptr;
    }
    blocks_.back() = {begin, size, true};
    most_used_bytes_ = std::max(most_used_bytes_, before.used + size);
    return begin;
}

void BlockPool::release_waiting() {
    std::erase_if(blocks_, [](const Block& block) {
        return !block.is_used && ::munmap(block.begin, block.bytes) == 0;
    });
}

// Called by a deleter: it allocates nothing, and does not throw.
bool BlockPool::give(void* block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::ranges::find(blocks_, block, &Block::begin);
    if (found == blocks_.end() || !found->is_used) {
        return false;
    }
    found->is_used = false;
    std::rotate(found, found + 1, blocks_.end());
    return true;
}

BlockPool::Sizes BlockPool::sizes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return counted();
}

BlockPool::Sizes BlockPool::counted() const {
    Sizes sizes;
    for (const Block& block : blocks_) {
        (block.is_used ? sizes.used : sizes.waiting) += block.bytes;
    }
    return sizes;
}

// Does nothing with AddressSanitizer, which sees the ends of heap blocks, not of a pool's.
void pool_loader_memory() {
#if !defined(__SANITIZE_ADDRESS__)
    [[maybe_unused]] static const bool is_installed = [] {
        other_allocator() = c10::GetCPUAllocator();
        c10::SetCPUAllocator(new LoaderAllocator);  // NOLINT: never deleted
        ::pthread_atfork([] { loader_pool().lock(); }, [] { loader_pool().unlock(); },
                         [] { loader_pool().unlock(); });
        return true;
    }();
#endif
}

LoaderMemory::LoaderMemory() : before_(std::exchange(makes_batches, true)) {}

LoaderMemory::~LoaderMemory() {
    makes_batches = before_;
}

}  // namespace ptp::engine
