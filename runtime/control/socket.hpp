// RUN/control.sock, made and found whatever the length of the folder's name: the system's limit of
// 107 bytes is passed by going through the open folder.

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

// Listens as long as it lives, and removes the socket at its end.
class Listener {
public:
    // Only this user can open the socket. One that a dead process left is replaced, one that
    // somebody listens on is not. Throws std::runtime_error with the reason alone.
    explicit Listener(const std::filesystem::path& folder);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // To poll for POLLIN; does not block.
    [[nodiscard]] int descriptor() const { return socket_.get(); }

    // A client, which does not block either; none where no client waits, or with errno where it
    // cannot be had.
    [[nodiscard]] Descriptor accept() const;

private:
    Descriptor folder_;
    Descriptor socket_;
    dev_t device_ = 0;
    ino_t file_ = 0;
};

// Connects to the socket of a folder; sending and connecting end after the limit. Throws
// std::system_error.
Descriptor connect_to(const std::filesystem::path& folder,
                      std::optional<std::chrono::milliseconds> limit);

// Whether the process at the other end may control this one: the same user's, or root's.
bool may_control(const Descriptor& client);

}  // namespace ptp::control
