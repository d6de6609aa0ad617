#include "engine/swap/mapped_memory.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace mapped_memory_test {

using ptp::engine::mapped_kilobytes;
using ptp::test::TempFolder;

namespace {

// A file in memory, whose first bytes have been read.
class Mapping {
public:
    Mapping(const std::filesystem::path& file, std::size_t size) : size_(size) {
        const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
        REQUIRE(descriptor >= 0);
        memory_ = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
        close(descriptor);
        REQUIRE(memory_ != MAP_FAILED);
    }
    ~Mapping() { munmap(memory_, size_); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

private:
    std::size_t size_;
    void* memory_ = nullptr;
};

}  // namespace

TEST_CASE("mapped memory: the resident part of all mappings of a file") {
    const TempFolder folder;
    const std::size_t size = std::size_t{64} * 1024;
    const auto file = folder.write("a file.so", std::string(size, 'x'));
    const auto other = folder.write("b/a file.so", std::string(size, 'x'));
    CHECK(mapped_kilobytes(file) == 0);
    const Mapping first(file, size);
    CHECK(mapped_kilobytes(file) == 64);
    {
        const Mapping second(file, size / 2);
        const Mapping third(other, size);
        CHECK(mapped_kilobytes(file) == 96);
    }
    CHECK(mapped_kilobytes(file) == 64);
    CHECK(mapped_kilobytes(other) == 0);
}

TEST_CASE("mapped memory: of a file that is not there it is 0") {
    CHECK(mapped_kilobytes("/nowhere/at/all.so") == 0);
}

}  // namespace mapped_memory_test
