// The server of the store of a training's ranks, and what it says to its clients: see
// rank_store.hpp.
//
// All numbers are of 32 bits, the lowest byte first. The server begins with kNonceBytes random
// bytes. A client answers with as many of its own, the number of ranks and the proof of both
// nonces; the server with a word, "+" and its own proof, or "-" and why it refuses. Then a request
// is a list of words, and its answer is one word.

#pragma once

#include "base/descriptor.hpp"

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

// One end of a connection. Throws std::runtime_error with the system's reason.
class StoreWire {
public:
    explicit StoreWire(Descriptor socket);

    // How long one call may wait for the other end; 0 without a limit.
    void set_patience(std::chrono::milliseconds limit) const;
    void shut() const;

    void send(std::string_view bytes) const;
    [[nodiscard]] std::string receive(std::size_t size) const;

    // A word: its length and its bytes; longer ones than a rank ever sends are refused before any
    // memory is taken for them.
    void send_word(std::string_view word) const;
    [[nodiscard]] std::string receive_word() const;
    void send_number(std::uint32_t number) const;
    [[nodiscard]] std::uint32_t receive_number() const;

private:
    Descriptor socket_;
};

// What shows that one end knows the secret. `role`: of the end that proves it.
std::string proof_of(std::string_view role, const std::string& secret, const std::string& nonces);
std::string new_nonce();

// Requests: their first word.
inline constexpr std::string_view kStoreSet = "set";             // key, value
inline constexpr std::string_view kStoreCompareSet = "compare";  // key, expected, value
inline constexpr std::string_view kStoreGet = "get";             // key
inline constexpr std::string_view kStoreAdd = "add";             // key, number
inline constexpr std::string_view kStoreDelete = "delete";       // key
inline constexpr std::string_view kStoreCount = "count";         //
inline constexpr std::string_view kStoreCheck = "check";         // keys
inline constexpr std::string_view kStoreWait = "wait";           // milliseconds, keys

// Serves on threads of its own until it is destroyed. Throws std::runtime_error.
class StoreServer {
public:
    StoreServer(const std::string& address, std::uint16_t port, std::string secret,
                std::uint32_t ranks);
    ~StoreServer();
    StoreServer(const StoreServer&) = delete;
    StoreServer& operator=(const StoreServer&) = delete;

private:
    class Parts;

    std::shared_ptr<Parts> parts_;
};

}  // namespace ptp::engine
