// A child process and what it leaves: its result, and its last step in shared memory.

#include "solo/child.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>

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

void SharedText::set(const std::string& text) {
    const std::size_t size = std::min(text.size(), memory_->size() - 1);
    std::memcpy(memory_->data(), text.data(), size);
    (*memory_)[size] = '\0';
}

std::string SharedText::get() const {
    return {memory_->data(), ::strnlen(memory_->data(), memory_->size())};
}

ChildResult run_in_child(engine::TrialLimit limit, const std::filesystem::path& folder,
                         c10::function_ref<Value()> work) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    ChildResult result;
    try {
        const std::string output =
            engine::result_in_process(limit, folder, [&] { return readable(to_toml(work())); });
        Diagnostics problems;
        result.value = read_toml(output, "the result", problems).value_or(Value());
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
