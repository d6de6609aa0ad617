#include "support.hpp"

#include "control/socket.hpp"
#include "run/process.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <iterator>

namespace ptp::control::test {

namespace {

std::size_t entries_in(const char* folder) {
    const std::filesystem::directory_iterator entries(folder);
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

void write_run(const ptp::test::TempFolder& folder, const std::string& state,
               const std::string& reason) {
    const run::Machine machine = run::this_machine();
    folder.write("experiment.toml", "name = \"net\"\n");
    folder.write("status.json",
                 fmt::format(R"({{"state": "{}", "reason": "{}", "pid": {}, "host": "{}",)"
                             R"( "boot": "{}"}})",
                             state, reason, getpid(), machine.host, machine.boot));
}

RawClient::RawClient(const std::filesystem::path& folder)
    : socket_(connect_to(folder, std::nullopt)) {}

void RawClient::send(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t count = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (count < 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

void RawClient::end() const {
    shutdown(socket_.get(), SHUT_WR);
}

std::optional<std::string> RawClient::line() {
    while (input_.find('\n') == std::string::npos) {
        std::array<char, 4096> piece{};
        const ssize_t count = recv(socket_.get(), piece.data(), piece.size(), 0);
        if (count <= 0) {
            return std::nullopt;
        }
        input_.append(piece.data(), static_cast<std::size_t>(count));
    }
    const std::size_t end = input_.find('\n');
    std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    return line;
}

Trainer::Trainer(Server& server, Answer answer)
    : server_(server), answer_(std::move(answer)), thread_([this] {
          while (!is_over_) {
              server_.wait(std::chrono::milliseconds(10));
              while (auto pending = server_.next()) {
                  pending->reply(answer_(pending->request()));
              }
          }
      }) {}

Trainer::~Trainer() {
    is_over_ = true;
    thread_.join();
}

Pending next_of(Server& server) {
    while (true) {
        if (auto pending = server.next()) {
            return std::move(*pending);
        }
        server.wait(std::chrono::seconds(10));
    }
}

std::size_t descriptor_count() {
    return entries_in("/proc/self/fd");
}

std::size_t thread_count() {
    return entries_in("/proc/self/task");
}

}  // namespace ptp::control::test
