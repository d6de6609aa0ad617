#include "base/library_pages.hpp"

#if defined(__linux__)

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ptp {

namespace {

// Of libtorch and its dependencies a third of the segments are as large, with most of the pages.
constexpr std::size_t kMinBytes = std::size_t{128} << 10;

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// An entry of /proc/PID/pagemap. What is changed of a file's private mapping is not the file's.
bool is_changed(std::uint64_t entry) {
    constexpr std::uint64_t kIsPresent = std::uint64_t{1} << 63U;
    constexpr std::uint64_t kIsSwapped = std::uint64_t{1} << 62U;
    constexpr std::uint64_t kIsOfFile = std::uint64_t{1} << 61U;
    return (entry & kIsSwapped) != 0 || ((entry & kIsPresent) != 0 && (entry & kIsOfFile) == 0);
}

// Whether the pages of these numbers are as in their file; false where the system does not tell.
bool are_as_in_file(int pagemap, std::size_t first, std::size_t last) {
    std::array<std::uint64_t, 4096> entries{};
    while (first < last) {
        const std::size_t count = std::min(entries.size(), last - first);
        const std::size_t bytes = count * sizeof entries[0];
        const auto place = static_cast<off_t>(first * sizeof entries[0]);
        if (::pread(pagemap, entries.data(), bytes, place) != static_cast<ssize_t>(bytes) ||
            std::ranges::any_of(std::span(entries).first(count), is_changed)) {
            return false;
        }
        first += count;
    }
    return true;
}

int release_pages_of(dl_phdr_info* object, std::size_t /*size*/, void* pagemap) {
    const std::size_t page = page_bytes();
    for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 ||
            segment.p_memsz < kMinBytes) {
            continue;
        }
        const std::size_t begin = object->dlpi_addr + segment.p_vaddr;
        const std::size_t first = begin / page;
        const std::size_t last = (begin + segment.p_memsz + page - 1) / page;
        if (are_as_in_file(static_cast<const Descriptor*>(pagemap)->get(), first, last)) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is the linker's
            ::madvise(reinterpret_cast<void*>(first * page), (last - first) * page, MADV_DONTNEED);
        }
    }
    return 0;
}

}  // namespace

void release_library_pages() noexcept {
    Descriptor pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (pagemap.is_open()) {
        dl_iterate_phdr(release_pages_of, &pagemap);
    }
}

}  // namespace ptp

#else

namespace ptp {

void release_library_pages() noexcept {}

}  // namespace ptp

#endif
