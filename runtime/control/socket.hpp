// Creates and finds RUN/control.sock, for folder names of any length: using the open folder avoids
// the system's limit of 107 bytes.

#pragma once

#include "base/descriptor.hpp"
#include "run/paths.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

namespace ptp::control {

inline constexpr std::string_view kSocketName = run::kSocketFile;

// Listens during its lifetime, and removes the socket at its end.
class Listener {
public:
    // Creates a socket that only this user can open. Replaces the socket of a dead process, but not
    // one that a process listens on. Throws std::runtime_error with the reason alone.
    explicit Listener(const std::filesystem::path& folder);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Returns a non-blocking descriptor to poll for POLLIN.
    [[nodiscard]] int descriptor() const { return socket_.get(); }

    // Returns a client, also non-blocking; a closed descriptor if no client waits, or, with errno
    // set, if accepting fails.
    [[nodiscard]] Descriptor accept() const;

private:
    Descriptor folder_;
    Descriptor socket_;
    dev_t device_ = 0;
    ino_t file_ = 0;
};

// Connects to the socket of a folder; sending and connecting have the limit. Throws
// std::system_error.
Descriptor connect_to(const std::filesystem::path& folder,
                      std::optional<std::chrono::milliseconds> limit);

// Returns whether the process at the other end may control this one: it belongs to the same user or
// to root.
bool may_control(const Descriptor& client);

}  // namespace ptp::control
