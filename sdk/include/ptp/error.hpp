// The exceptions of a component. The SDK converts them to a status and a message at the boundary;
// components need not catch any. Other exceptions are reported as internal errors with type and
// what().
#pragma once

#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace ptp {

namespace detail {

template <class Part>
void append(std::ostringstream& text, const Part& part) {
    if constexpr (std::is_same_v<Part, std::filesystem::path>) {
        text << part.string();  // without the quotes that << puts around a path
    } else {
        text << part;
    }
}

template <class... Parts>
std::string join(const Parts&... parts) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    (append(text, parts), ...);
    return text.str();
}

}  // namespace detail

// The experiment asks for something impossible. The parts are joined to one sentence:
// throw ptp::ConfigError("kernel ", kernel, " does not fit into an image of ", width);
class ConfigError : public std::runtime_error {
public:
    template <class... Parts>
    explicit ConfigError(const Parts&... parts) : std::runtime_error(detail::join(parts...)) {}
};

// A setting has a value within its range that the component cannot use. The host adds the setting's
// line in the experiment and its value to the reason:
//
//     throw ptp::SettingError("top_k", "must be at most ", classes);
class SettingError : public ConfigError {
public:
    template <class... Parts>
    explicit SettingError(std::string setting, const Parts&... parts)
        : ConfigError("setting '", setting, "': ", parts...),
          setting_(std::move(setting)),
          reason_(detail::join(parts...)) {}

    const std::string& setting() const { return setting_; }
    const std::string& reason() const { return reason_; }

private:
    std::string setting_;
    std::string reason_;
};

// A file, a sample or a tensor is not as declared.
class DataError : public std::runtime_error {
public:
    template <class... Parts>
    explicit DataError(const Parts&... parts) : std::runtime_error(detail::join(parts...)) {}
};

// The system or a library refused an operation, such as a write to a full disk; neither the
// experiment nor the data is wrong. Reported as an internal error without the type. With an error
// of the system, its text follows the parts, and the host adds how to get what was refused:
//
//     throw ptp::SystemError(std::errc(errno), "cannot write ", path);
class SystemError : public std::runtime_error {
public:
    template <class... Parts>
    explicit SystemError(const Parts&... parts) : std::runtime_error(detail::join(parts...)) {}

    template <class... Parts>
    explicit SystemError(std::errc error, const Parts&... parts)
        : std::runtime_error(detail::join(parts..., ": ", std::make_error_code(error).message())),
          number_(static_cast<int>(error)) {}

    // Returns the errno of the system's error; 0 without one.
    int number() const { return number_; }

private:
    int number_ = 0;
};

}  // namespace ptp
