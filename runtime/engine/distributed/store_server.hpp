// The server of the store of a training's ranks, and its protocol: see rank_store.hpp.
//
// All numbers have 32 bits, the lowest byte first. The server begins with kNonceBytes random bytes.
// A client answers with its own nonce, the number of ranks and the proof of both nonces; the server
// with a word, "+" and its own proof, or "-" and why it refuses. From then on, a request is a list
// of words, and its answer is one word.

#pragma once

#include "base/descriptor.hpp"
#include "engine/distributed/rank_store.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kProofBytes = 64;

// The limits of one request. A value is shorter than the request that it came in, so that any
// answer with it is a word, too.
inline constexpr std::uint32_t kMaxRequestWords = 1U << 16U;
inline constexpr std::uint32_t kMaxRequestBytes = 1U << 20U;

// One end of a connection. Throws std::runtime_error with the system's reason.
class StoreWire {
public:
    using Clock = std::chrono::steady_clock;

    explicit StoreWire(Descriptor socket);

    // Sets the time by which everything that follows must be sent and received, however little
    // comes at a time; nullopt: it may take forever.
    void set_deadline(std::optional<Clock::time_point> deadline) { deadline_ = deadline; }
    void shut() const;

    void send(std::string_view bytes) const;
    [[nodiscard]] std::string receive(std::size_t size) const;

    // Sends or receives a word: its length and its bytes; longer ones than ranks send are refused
    // before memory is allocated for them.
    void send_word(std::string_view word) const;
    [[nodiscard]] std::string receive_word() const;
    void send_number(std::uint32_t number) const;
    [[nodiscard]] std::uint32_t receive_number() const;

private:
    // Waits until the socket is ready for the event (POLLIN, POLLOUT), or a signal comes.
    void await(short event) const;

    Descriptor socket_;
    std::optional<Clock::time_point> deadline_;
};

// Returns the proof that one end knows the secret. `role` is that of the proving end.
std::string proof_of(std::string_view role, const std::string& secret, const std::string& nonces);

// Requests: their first word.
inline constexpr std::string_view kStoreSet = "set";             // key, value
inline constexpr std::string_view kStoreCompareSet = "compare";  // key, expected, value
inline constexpr std::string_view kStoreGet = "get";             // key
inline constexpr std::string_view kStoreAdd = "add";             // key, number
inline constexpr std::string_view kStoreDelete = "delete";       // key
inline constexpr std::string_view kStoreCount = "count";         //
inline constexpr std::string_view kStoreCheck = "check";         // keys
inline constexpr std::string_view kStoreWait = "wait";           // milliseconds, keys

// Serves on threads of its own until it is destroyed. Throws CannotListen, or std::runtime_error.
class StoreServer {
public:
    explicit StoreServer(const StorePlace& place);
    ~StoreServer();
    StoreServer(const StoreServer&) = delete;
    StoreServer& operator=(const StoreServer&) = delete;

private:
    class Parts;

    std::shared_ptr<Parts> parts_;
};

}  // namespace ptp::engine
