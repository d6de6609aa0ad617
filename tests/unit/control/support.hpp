// What the tests of control share.

#pragma once

#include "base/descriptor.hpp"
#include "control/protocol.hpp"
#include "control/server.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace ptp::control::test {

// A folder with the files of a run in this state. It says that this process works on it.
void write_run(const ptp::test::TempFolder& folder, const std::string& state,
               const std::string& reason = "");

// A client that says what it likes.
class RawClient {
public:
    explicit RawClient(const std::filesystem::path& folder);

    void send(std::string_view text) const;
    void end() const;  // of what it sends; it reads on
    // The next line; nullopt when the server has let it go.
    std::optional<std::string> line();

private:
    Descriptor socket_;
    std::string input_;
};

// A trainer that answers all requests as `answer` does, until the end of its scope.
class Trainer {
public:
    using Answer = std::function<Reply(const Request&)>;
    Trainer(Server& server, Answer answer);
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

private:
    Server& server_;
    Answer answer_;
    std::atomic<bool> is_over_ = false;
    std::thread thread_;
};

// What is requested, waited for.
Pending next_of(Server& server);

// The number of descriptors and of threads of this process.
std::size_t descriptor_count();
std::size_t thread_count();

}  // namespace ptp::control::test
