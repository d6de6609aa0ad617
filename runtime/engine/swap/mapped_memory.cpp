// The resident pages of libraries, as the loader and mincore(2) report them.

#include "engine/swap/mapped_memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <system_error>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// Returns the resident bytes of a segment of a library.
std::int64_t bytes_in_memory(std::uintptr_t begin, std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = begin / page * page;
    const std::size_t pages = (begin + size - first + page - 1) / page;
    std::vector<unsigned char> is_there(pages);
    if (mincore(reinterpret_cast<void*>(first), pages * page, is_there.data()) != 0) {
        return 0;
    }
    return static_cast<std::int64_t>(page) *
           std::ranges::count_if(is_there, [](unsigned char bits) { return (bits & 1U) != 0; });
}

struct Search {
    fs::path folder;                            // canonical
    std::map<std::string, std::int64_t> bytes;  // by file name
};

int look_at(dl_phdr_info* library, std::size_t, void* data) {
    Search& search = *static_cast<Search*>(data);
    const fs::path path = library->dlpi_name;
    const auto found = search.bytes.find(path.filename().string());
    std::error_code error;
    if (found == search.bytes.end() ||
        (path.parent_path() != search.folder &&
         fs::canonical(path.parent_path(), error) != search.folder)) {
        return 0;
    }
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& segment = library->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) {
            found->second += bytes_in_memory(library->dlpi_addr + segment.p_vaddr, segment.p_memsz);
        }
    }
    return 0;
}

}  // namespace

std::vector<std::int64_t> resident_kilobytes(const fs::path& folder,
                                             std::span<const std::string> files) {
    std::error_code error;
    Search search{fs::canonical(folder, error), {}};
    for (const std::string& file : files) {
        search.bytes.emplace(file, 0);
    }
    dl_iterate_phdr(look_at, &search);
    std::vector<std::int64_t> kilobytes;
    for (const std::string& file : files) {
        kilobytes.push_back(search.bytes[file] / 1024);
    }
    return kilobytes;
}

}  // namespace ptp::engine
