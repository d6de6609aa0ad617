#include "engine/conformance/shared_text.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace ptp::engine {

SharedText::SharedText()
    : memory_(static_cast<char*>(
          ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (static_cast<void*>(memory_) == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "no memory to share");
    }
}

SharedText::~SharedText() {
    ::munmap(memory_, kSize);
}

void SharedText::set(const std::string& text) {
    const std::size_t size = std::min(text.size(), kSize - 1);
    std::memcpy(memory_, text.data(), size);
    memory_[size] = '\0';
}

std::string SharedText::get() const {
    return {memory_, ::strnlen(memory_, kSize)};
}

}  // namespace ptp::engine
