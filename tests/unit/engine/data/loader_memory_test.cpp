#include "engine/data/loader_memory.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/core/CPUAllocator.h>
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

namespace loader_memory_test {

using namespace ptp::engine;

namespace {

constexpr std::size_t kMega = std::size_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsPooled = false;
#else
constexpr bool kIsPooled = true;
#endif

}  // namespace

TEST_CASE("loader memory: a block that was given back is the next one of its size") {
    BlockPool pool;
    void* const first = pool.take(3 * kMega);
    void* const second = pool.take(3 * kMega);
    REQUIRE(first != nullptr);
    CHECK(first != second);
    std::memset(first, 1, 3 * kMega);
    CHECK(pool.give(first));
    CHECK(pool.take(3 * kMega) == first);
    CHECK(pool.sizes().used == 6 * kMega);
    CHECK(pool.sizes().waiting == 0);
    CHECK(pool.give(first));
    CHECK(pool.give(second));
    CHECK(pool.sizes().waiting == 6 * kMega);
}

TEST_CASE("loader memory: a size within the same pages is the same size") {
    BlockPool pool;
    void* const block = pool.take(kMega);
    CHECK(pool.give(block));
    CHECK(pool.take(kMega - 5) == block);
    CHECK(pool.give(block));
}

TEST_CASE("loader memory: blocks of other sizes never take more than was once in use") {
    BlockPool pool;
    void* const large = pool.take(8 * kMega);
    CHECK(pool.give(large));
    std::size_t most = 0;
    for (std::size_t size = 1; size <= 8; ++size) {
        void* const block = pool.take(size * kMega);
        REQUIRE(block != nullptr);
        const BlockPool::Sizes sizes = pool.sizes();
        most = std::max(most, sizes.used + sizes.waiting);
        CHECK(pool.give(block));
    }
    CHECK(most == 8 * kMega);
}

TEST_CASE("loader memory: what is not of the pool is left alone") {
    BlockPool pool;
    int other = 0;
    CHECK(!pool.give(&other));
    void* const block = pool.take(kMega);
    CHECK(pool.give(block));
    CHECK(!pool.give(block));  // it waits already
}

TEST_CASE("loader memory: more than the system has is no block") {
    BlockPool pool;
    CHECK(pool.take(std::size_t{1} << 60) == nullptr);
    CHECK(pool.sizes().used == 0);
}

TEST_CASE("loader memory: large tensors of batches use the same memory again") {
    pool_loader_memory();
    pool_loader_memory();  // changes nothing
    const std::int64_t size = kMega;
    const auto new_batch = [size] {
        const LoaderMemory memory;
        return at::full({size}, 2.0f);
    };
    at::Tensor batch = new_batch();
    const void* const place = batch.data_ptr();
    if (kIsPooled) {
        std::thread([&batch] { batch.reset(); }).join();  // whichever thread frees it
        CHECK(new_batch().data_ptr() == place);
    }
    batch = new_batch();
    CHECK(batch.sum().item<float>() == 2.0f * static_cast<float>(size));
    batch.resize_({2 * size});  // outside, into memory of libtorch's own
    CHECK(batch[0].item<float>() == 2.0f);
    const LoaderMemory memory;
    CHECK(at::full({4}, 1.0f).sum().item<float>() == 4.0f);  // small ones too
}

TEST_CASE("loader memory: memory without an owner returns to where it came from") {
    pool_loader_memory();
    c10::Allocator& allocator = *c10::GetCPUAllocator();
    for (const std::size_t bytes : {std::size_t{64}, 4 * kMega}) {
        void* const plain = allocator.raw_allocate(bytes);
        allocator.raw_deallocate(plain);
        const LoaderMemory memory;
        void* const pooled = allocator.raw_allocate(bytes);
        std::memset(pooled, 1, bytes);
        allocator.raw_deallocate(pooled);
    }
}

TEST_CASE("loader memory: a copy of the process can make tensors while threads make some") {
    pool_loader_memory();
    std::atomic<bool> is_over = false;
    std::thread loader([&is_over] {
        const LoaderMemory memory;
        while (!is_over) {
            static_cast<void>(at::empty({static_cast<std::int64_t>(kMega)}));
        }
    });
    int failed = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const LoaderMemory memory;
            const bool is_there = at::empty({static_cast<std::int64_t>(kMega)}).defined();
            ::_exit(is_there ? 0 : 1);
        }
        int status = 1;
        ::waitpid(child, &status, 0);
        failed += status == 0 ? 0 : 1;
    }
    is_over = true;
    loader.join();
    CHECK(failed == 0);
}

}  // namespace loader_memory_test
