// A port for a test.
#pragma once

#include "base/descriptor.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstdint>
#include <stdexcept>

namespace ptp::test {

// A port that nothing uses, nor may soon.
inline std::uint16_t free_port() {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket.get(), any, size) != 0 || getsockname(socket.get(), any, &size) != 0) {
        throw std::runtime_error("no port is free");
    }
    return ntohs(address.sin_port);
}

}  // namespace ptp::test
