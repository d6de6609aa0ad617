// Streams that a section does not have, at a port that takes a list of streams and is optional: the
// host passes them on without a value. What observes streams can then do without them.
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

// Whether the stream has no value in this batch. REQUIRES: the batch has a sample.
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

// Logs once for each section and stream.
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
