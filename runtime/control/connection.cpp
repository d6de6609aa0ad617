#include "control/connection.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace ptp::control {

namespace {

// A client that continues sending after this is not a client.
constexpr std::size_t kMaxSkipped = 64 * kMaxLineLength;

bool is_passing(int reason) {
    return reason == EINTR || reason == EAGAIN || reason == EWOULDBLOCK;
}

}  // namespace

short Connection::events() const {
    if (!output_.empty()) {
        return POLLOUT;
    }
    return has_ended_ || is_waiting_ ? 0 : POLLIN;
}

void Connection::handle(short events) {
    // A client that only ended its own side gives no POLLHUP.
    if ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        is_gone_ = true;
        return;
    }
    if ((events & POLLOUT) != 0) {
        flush();
    }
    if ((events & POLLIN) != 0) {
        receive();
    }
}

void Connection::receive() {
    std::array<char, 16384> piece{};
    const ssize_t count = recv(socket_.get(), piece.data(), piece.size(), 0);
    if (count < 0) {
        is_gone_ = !is_passing(errno);
    } else if (count == 0) {
        has_ended_ = true;
    } else {
        input_.append(piece.data(), static_cast<std::size_t>(count));
        skip_long_line();
    }
}

// Answers a line that is too long before its end has come, and then waits for it.
void Connection::skip_long_line() {
    const std::size_t end = input_.find('\n');
    const std::size_t size = end == std::string::npos ? input_.size() : end;
    if (!is_skipping_ && size > kMaxLineLength) {
        is_skipping_ = true;
        send(Reply::failure(fmt::format("the request is longer than {} bytes", kMaxLineLength)));
    }
    if (!is_skipping_) {
        return;
    }
    is_skipping_ = end == std::string::npos;
    skipped_ += size;
    input_.erase(0, is_skipping_ ? size : size + 1);
    is_gone_ = is_gone_ || skipped_ > kMaxSkipped;
}

std::optional<std::string> Connection::next_line() {
    const std::size_t end = input_.find('\n');
    const bool is_last = end == std::string::npos;
    if (is_last && (!has_ended_ || input_.empty())) {
        return std::nullopt;
    }
    std::string line = input_.substr(0, end);
    input_.erase(0, is_last ? end : end + 1);
    return line;
}

std::optional<Request> Connection::next_request() {
    while (!is_waiting_ && output_.empty() && !is_gone_) {
        const std::optional<std::string> line = next_line();
        if (!line) {
            return std::nullopt;
        }
        try {
            Request request = read_request(*line);
            is_waiting_ = true;
            return request;
        } catch (const ProtocolError& error) {
            send(Reply::failure(error.what()));
        }
    }
    return std::nullopt;
}

void Connection::reply(const Reply& reply) {
    is_waiting_ = false;
    send(reply);
}

void Connection::send(const Reply& reply) {
    output_ += line_of(reply) + '\n';
    flush();
}

void Connection::flush() {
    while (!output_.empty()) {
        const ssize_t count = ::send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
        if (count < 0) {
            is_gone_ = is_gone_ || !is_passing(errno);
            return;
        }
        output_.erase(0, static_cast<std::size_t>(count));
    }
}

bool Connection::is_over() const {
    return is_gone_ || (has_ended_ && !is_waiting_ && input_.empty() && output_.empty());
}

}  // namespace ptp::control
