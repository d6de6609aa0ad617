#include "fuzz/input_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace ptp::fuzz {

InputFile::InputFile(std::string_view content) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    const auto size = static_cast<ssize_t>(content.size());
    if (descriptor_ < 0 || write(descriptor_, content.data(), content.size()) != size) {
        throw std::runtime_error("no file in memory can be made");
    }
}

InputFile::~InputFile() {
    close(descriptor_);
}

std::filesystem::path InputFile::path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
}

}  // namespace ptp::fuzz
