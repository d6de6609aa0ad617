// A server of files on this machine alone, by http.server of Python. What is below /busy it does
// not serve just now, /moved is elsewhere, /loop is always elsewhere, and /large never ends. Below
// /parts it serves the rest of a file that is asked for, and below /cut half of a file.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace ptp::test {

// What a server shows who asks over HTTPS, and its secret key; files in PEM.
struct Certificate {
    std::filesystem::path chain;
    std::filesystem::path key;
};

class WebServer {
public:
    // Of this folder, at a port that is free; with a certificate over HTTPS. Without python3 it has
    // no address.
    explicit WebServer(const std::filesystem::path& folder, const Certificate& certificate = {});
    ~WebServer();
    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;

    // "http://127.0.0.1:34567"; "" where there is none.
    [[nodiscard]] const std::string& address() const { return address_; }

private:
    pid_t process_ = -1;
    std::string address_;
};

}  // namespace ptp::test
