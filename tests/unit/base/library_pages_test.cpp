#include "base/library_pages.hpp"

#include "base/child_process.hpp"
#include "base/descriptor.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace library_pages_test {

using namespace ptp;

namespace {

// Code of libcrypto, which nothing here calls; nullptr if the program is linked in another way.
const volatile std::uint8_t* unused_code() {
    return static_cast<const volatile std::uint8_t*>(dlsym(RTLD_DEFAULT, "EVP_sha256"));
}

// In the read-only data of this program, which are as large with it as a segment must be.
constexpr std::array<std::uint8_t, std::size_t{1} << 18> kTable{7};

const volatile std::uint8_t* table() {
    return kTable.data();
}

std::uintptr_t page_of(const volatile void* address) {
    return reinterpret_cast<std::uintptr_t>(address) /
           static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

// Whether the page of this address is in the process's memory; nothing if the system does not tell.
std::optional<bool> is_mapped(const volatile void* address) {
    const Descriptor pages(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    std::uint64_t entry = 0;
    const auto place = static_cast<off_t>(page_of(address) * sizeof entry);
    if (::pread(pages.get(), &entry, sizeof entry, place) != sizeof entry) {
        return std::nullopt;
    }
    return (entry >> 63U) != 0;
}

// As a debugger does that sets a breakpoint.
bool change(const volatile std::uint8_t* byte, std::uint8_t to) {
    const Descriptor memory(::open("/proc/self/mem", O_RDWR | O_CLOEXEC));
    const auto place = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(byte));
    return ::pwrite(memory.get(), &to, sizeof to, place) == sizeof to;
}

}  // namespace

TEST_CASE("library pages: code that has run leaves memory, and is the same when it is used again") {
    const volatile std::uint8_t* const code = unused_code();
    if (code == nullptr) {
        MESSAGE("this program has no libcrypto of its own");
        return;
    }
    const int first = *code;
    const std::optional<bool> before = is_mapped(code);
    if (!before) {
        MESSAGE("this system does not tell what is in memory");
        return;
    }
    CHECK(*before);
    release_library_pages();
    CHECK(is_mapped(code) == false);
    CHECK(*code == first);
}

TEST_CASE("library pages: what a debugger has changed stays changed") {
    const ChildEnd end = run_in_child(
        [] {
            if (!change(table(), 8)) {
                return std::string("refused");
            }
            release_library_pages();
            return std::to_string(*table());
        },
        std::chrono::minutes(1));
    if (end.output == "refused") {
        MESSAGE("this system lets no process change its code");
        return;
    }
    CHECK(end.output == "8");
}

}  // namespace library_pages_test
