// Handles streams that a section does not have, at an optional port for a list of streams: the host
// passes them without a value, and components that observe streams can ignore them.
#pragma once

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::support {

inline constexpr SettingText kSkipMissingText{
    .help =
        "Whether a section that lacks one of the streams is no error: it continues without that "
        "stream, which is logged once"};

// Returns whether the stream has no value in this batch. REQUIRES: the batch has a sample.
inline bool is_missing(const Value& value) {
    switch (value.element()) {
        case PTP_STRING:
            return value.strings().size() == 0;
        case PTP_TOKENS:
            return value.token_lists().size() == 0;
        case PTP_TENSOR_LIST:
            return value.tensor_list().size() == 0;
        default:
            return !value.tensor().defined();
    }
}

// Logs each section and stream once.
class MissingStreams {
public:
    void log(const Setup& setup, std::string_view section, const char* stream) {
        if (logged_.emplace(section, stream).second) {
            setup.log_warning("[" + std::string(section) + "] has no stream '" + stream +
                              "': it continues without");
        }
    }

private:
    std::set<std::pair<std::string, std::string>> logged_;
};

}  // namespace ptp::support
