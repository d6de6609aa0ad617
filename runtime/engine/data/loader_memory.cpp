// The pool of blocks, and the allocator of libtorch that uses it in loader threads.

#include "engine/data/loader_memory.hpp"

#include "engine/component/compat.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>
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
    for (const Block& block : waiting_) {
        ::munmap(block.begin, block.bytes);
    }
}

void* BlockPool::take(std::size_t bytes) {
    const std::size_t size = whole_pages(std::max<std::size_t>(bytes, 1));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (void* const block = take_waiting(size); block != nullptr) {
        return block;
    }
    release_oldest(size);
    void* const begin =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) {
        return nullptr;
    }
    try {
        return use({begin, size});
    } catch (const std::bad_alloc&) {
        ::munmap(begin, size);
        return nullptr;
    }
}

// Takes the newest block of this size, the most likely one to be in a cache.
void* BlockPool::take_waiting(std::size_t bytes) {
    const auto found = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                    [bytes](const Block& block) { return block.bytes == bytes; });
    if (found == waiting_.rend()) {
        return nullptr;
    }
    const auto place = std::next(found).base() - waiting_.begin();
    void* const block = use(*found);
    waiting_.erase(waiting_.begin() + place);
    waiting_bytes_ -= bytes;
    return block;
}

void BlockPool::release_oldest(std::size_t needed) {
    const std::size_t limit = std::max(most_used_bytes_, used_bytes_ + needed);
    auto kept = waiting_.begin();
    while (kept != waiting_.end() && used_bytes_ + waiting_bytes_ + needed > limit) {
        ::munmap(kept->begin, kept->bytes);
        waiting_bytes_ -= kept->bytes;
        ++kept;
    }
    waiting_.erase(waiting_.begin(), kept);
}

// Reserves memory that give() needs: it is called by a deleter, which must not throw.
void* BlockPool::use(Block block) {
    waiting_.reserve(waiting_.size() + used_.size() + 1);
    used_.emplace(block.begin, block.bytes);
    used_bytes_ += block.bytes;
    most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
    return block.begin;
}

bool BlockPool::give(void* block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = used_.find(block);
    if (found == used_.end()) {
        return false;
    }
    waiting_.push_back({block, found->second});
    waiting_bytes_ += found->second;
    used_bytes_ -= found->second;
    used_.erase(found);
    return true;
}

BlockPool::Sizes BlockPool::sizes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return {used_bytes_, waiting_bytes_};
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
