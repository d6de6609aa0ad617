// A child process and what it leaves: its text in a file, its last step in shared memory.

#include "solo/child.hpp"

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <system_error>

namespace ptp::solo {

namespace {

// A component's message may have any bytes.
std::string readable(std::string text) {
    if (!is_utf8(text)) {
        std::ranges::replace_if(
            text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    }
    return text;
}

}  // namespace

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

ChildResult run_in_child(engine::TrialLimit limit, const std::filesystem::path& folder,
                         c10::function_ref<Value()> work) {
    using Clock = std::chrono::steady_clock;
    const std::filesystem::path file = folder / "result";
    const auto begin = Clock::now();
    ChildResult result;
    try {
        engine::try_in_process(limit, folder,
                               [&] { replace_file(file, readable(to_toml(work()))); });
        Diagnostics problems;
        result.value = read_toml(read_text(file), file.string(), problems).value_or(Value());
        if (!problems.ok()) {
            result.end = Explanation{problems.text(), ""};
        }
    } catch (const std::exception& error) {
        result.end = explanation_of(error);
        result.is_late = Clock::now() - begin >= limit;
    }
    return result;
}

}  // namespace ptp::solo
