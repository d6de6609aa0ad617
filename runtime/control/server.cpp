// The thread of the server runs one io_context of Boost.Asio; all of Connection and Service runs on
// it, except functions marked [main] or [any].

#include "control/server.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/no_signals.hpp"
#include "control/socket.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>

namespace ptp::control {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Protocol = asio::local::stream_protocol;

constexpr std::size_t kMaxClients = 64;
constexpr std::size_t kMaxSkipped = 64 * kMaxLineLength;  // per client, in lines that are too long
constexpr std::chrono::milliseconds kRetry(100);

// Sends as much of a reply as it can without waiting.
void send_at_once(int socket, const Reply& reply) {
    const std::string line = line_of(reply) + '\n';
    (void)::send(socket, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

using ClientId = std::uint64_t;

// The queue of requests that the training has not taken yet. It is filled on the server's thread,
// and emptied on the training's.
class Mailbox {
public:
    struct Letter {
        ClientId client = 0;
        Request request;
    };

    Mailbox() : posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (!posted_.is_open()) {
            throw std::system_error(errno, std::generic_category());
        }
    }

    // [main] Takes one relaxed atomic load.
    [[nodiscard]] bool has_letters() const { return has_letters_.load(std::memory_order_relaxed); }

    // [main] Removes and returns the oldest letter.
    std::optional<Letter> next() {
        if (!has_letters()) {
            return std::nullopt;
        }
        const std::lock_guard lock(mutex_);
        if (letters_.empty()) {
            return std::nullopt;
        }
        std::optional<Letter> letter = std::move(letters_.front());
        letters_.pop_front();
        letters_changed();
        return letter;
    }

    // [main] Waits for a letter.
    void wait(std::chrono::milliseconds limit) const {
        pollfd waited{.fd = posted_.get(), .events = POLLIN, .revents = 0};
        (void)poll(&waited, 1, static_cast<int>(limit.count()));
    }

    void post(Letter letter) {
        const std::lock_guard lock(mutex_);
        letters_.push_back(std::move(letter));
        letters_changed();
    }

    // Removes the letter of a client, unless it has been taken.
    void withdraw(ClientId client) {
        const std::lock_guard lock(mutex_);
        std::erase_if(letters_, [&](const Letter& letter) { return letter.client == client; });
        letters_changed();
    }

private:
    void letters_changed() {
        has_letters_.store(!letters_.empty(), std::memory_order_relaxed);
        eventfd_t count = 0;
        if (letters_.empty()) {
            (void)eventfd_read(posted_.get(), &count);  // fails if the count was 0 before
        } else {
            (void)eventfd_write(posted_.get(), 1);
        }
    }

    std::atomic<bool> has_letters_ = false;
    Descriptor posted_;  // readable while there are letters
    std::mutex mutex_;   // guards letters_, and changes to the two above
    std::deque<Letter> letters_;
};

// One client: reads its lines and sends its replies. It has one pending request at a time; further
// lines wait, eventually in the socket itself.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Service& service, ClientId id, asio::io_context& context, Descriptor socket)
        : service_(service), id_(id), socket_(context) {
        socket_.assign(Protocol(), socket.get());
        (void)socket.release();
    }

    // Waits for the next line.
    void read() {
        asio::async_read_until(socket_, asio::dynamic_buffer(input_, kMaxLineLength + 1), '\n',
                               [self = shared_from_this()](error_code error, std::size_t size) {
                                   self->received(error, size);
                               });
    }

    // Answers the pending request.
    void reply(const Reply& reply) {
        is_waiting_ = false;
        socket_.cancel();
        send(reply);
    }

    // Answers the pending request, as the last reply.
    void say_farewell(const Reply& reply) {
        if (is_waiting_) {
            send_at_once(socket_.native_handle(), reply);
        }
    }

    void close();

private:
    void received(error_code error, std::size_t size) {
        if (error == asio::error::not_found) {
            skip();
        } else if (error == asio::error::eof && !input_.empty() && !is_skipping_) {
            has_ended_ = true;
            handle(std::exchange(input_, {}));
        } else if (error) {
            close();
        } else {
            const std::string line = input_.substr(0, size - 1);
            input_.erase(0, size);
            if (std::exchange(is_skipping_, false)) {
                read();
            } else {
                handle(line);
            }
        }
    }

    // Answers a line that is too long before its end has arrived.
    void skip() {
        skipped_ += input_.size();
        input_.clear();
        if (skipped_ > kMaxSkipped) {
            close();
        } else if (std::exchange(is_skipping_, true)) {
            read();
        } else {
            send(
                Reply::failure(fmt::format("the request is longer than {} bytes", kMaxLineLength)));
        }
    }

    void post(Request request);

    void handle(const std::string& line) {
        try {
            post(read_request(line));
        } catch (const ProtocolError& error) {
            send(Reply::failure(error.what()));
            return;
        }
        is_waiting_ = true;
        // Further input, such as the end of the client's data, is not an error here: only a broken
        // connection is.
        socket_.async_wait(Protocol::socket::wait_error,
                           [self = shared_from_this()](error_code error) {
                               if (!error) {
                                   self->close();
                               }
                           });
    }

    void send(const Reply& reply) {
        output_ = line_of(reply) + '\n';
        asio::async_write(socket_, asio::buffer(output_),
                          [self = shared_from_this()](error_code error, std::size_t) {
                              if (error || self->has_ended_) {
                                  self->close();
                              } else {
                                  self->read();
                              }
                          });
    }

    Service& service_;
    const ClientId id_;
    Protocol::socket socket_;
    std::string input_;
    std::string output_;
    std::size_t skipped_ = 0;
    bool is_skipping_ = false;
    bool is_waiting_ = false;
    bool has_ended_ = false;  // the client sends no more, but may still read
};

class Service {
public:
    explicit Service(const std::filesystem::path& folder)
        : listener_(folder), listening_(context_, listener_.descriptor()), retry_(context_) {}
    ~Service() { listening_.release(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    Mailbox& mailbox() { return mailbox_; }

    // Forgets a client whose connection is closed.
    void forget(ClientId client) {
        mailbox_.withdraw(client);
        connections_.erase(client);
    }

    // Runs until stop(). If a client causes an out-of-memory error, all clients are disconnected so
    // that the training continues.
    void run() {
        while (!context_.stopped()) {
            try {
                wait_for_client();
                context_.run();
            } catch (const std::exception&) {
                listening_.cancel();
                for (const auto& [id, connection] : std::exchange(connections_, {})) {
                    connection->close();
                }
            }
        }
    }

    // [any]
    void stop() {
        asio::post(context_, [this] {
            for (const auto& [id, connection] : connections_) {
                mailbox_.withdraw(id);
                connection->say_farewell(Reply::failure("the run has ended"));
            }
            context_.stop();
        });
    }

    // [any]
    void reply(ClientId client, const Reply& reply) {
        asio::post(context_, [this, client, reply] {
            if (const auto found = connections_.find(client); found != connections_.end()) {
                found->second->reply(reply);
            }
        });
    }

private:
    void wait_for_client() {
        listening_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code error) {
            if (!error) {
                take_client();
            }
        });
    }

    void take_client() {
        Descriptor client = listener_.accept();
        const bool is_full = !client.is_open() && (errno == EMFILE || errno == ENFILE ||
                                                   errno == ENOMEM || errno == ENOBUFS);
        if (is_full) {
            retry_.expires_after(kRetry);
            retry_.async_wait([this](error_code) { wait_for_client(); });
            return;
        }
        if (client.is_open()) {
            serve(std::move(client));
        }
        wait_for_client();
    }

    void serve(Descriptor client) {
        if (!may_control(client)) {
            send_at_once(client.get(), Reply::failure("only the owner of the run may control it"));
            return;
        }
        if (connections_.size() >= kMaxClients) {
            send_at_once(client.get(), Reply::failure("too many clients control this run already"));
            return;
        }
        const ClientId id = next_id_++;
        const auto connection =
            std::make_shared<Connection>(*this, id, context_, std::move(client));
        connections_.emplace(id, connection);
        connection->read();
    }

    Mailbox mailbox_;
    Listener listener_;
    asio::io_context context_;  // outlives the members below
    asio::posix::stream_descriptor listening_;
    asio::steady_timer retry_;  // for retries while the system has no resources for a client
    std::map<ClientId, std::shared_ptr<Connection>> connections_;
    ClientId next_id_ = 1;
};

void Connection::post(Request request) {
    service_.mailbox().post({id_, std::move(request)});
}

void Connection::close() {
    error_code ignored;
    socket_.close(ignored);
    service_.forget(id_);
}

Pending::~Pending() {
    if (send_) {
        reply(Reply::failure("the run has not answered"));
    }
}

Server::Server(const std::filesystem::path& run_folder) {
    const auto fail = [&](const std::string& reason) {
        throw RunError(kTrainingError, fmt::format("cannot make {}: {}",
                                                   (run_folder / kSocketName).string(), reason));
    };
    try {
        service_ = std::make_shared<Service>(run_folder);
        const NoSignals no_signals;
        thread_ = std::thread([this] {
            pthread_setname_np(pthread_self(), "ptp-control");
            service_->run();
        });
    } catch (const boost::system::system_error& error) {
        fail(error.code().message());
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

Server::~Server() {
    service_->stop();
    thread_.join();
}

bool Server::has_requests() const {
    return service_->mailbox().has_letters();
}

std::optional<Pending> Server::next() {
    std::optional<Mailbox::Letter> letter = service_->mailbox().next();
    if (!letter) {
        return std::nullopt;
    }
    const auto send = [service = std::weak_ptr(service_),
                       client = letter->client](const Reply& reply) {
        if (const std::shared_ptr<Service> living = service.lock()) {
            living->reply(client, reply);
        }
    };
    return std::optional<Pending>(std::in_place, std::move(letter->request), send);
}

void Server::wait(std::chrono::milliseconds limit) const {
    service_->mailbox().wait(limit);
}

}  // namespace ptp::control
