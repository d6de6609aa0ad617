// The server of the store of a training's ranks, and its protocol: see rank_store.hpp.
//
// All numbers have 32 bits, the lowest byte first. A word is its length and its bytes. The server
// begins with kNonceBytes random bytes. A client answers with its own nonce, the number of ranks
// and the proof of both nonces; the server with a word, "+" and its own proof, or "-" and why it
// refuses. From then on, a request is the number of its words and the words, and its answer is one
// word.

#pragma once

#include "distributed/place.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace ptp::engine {

inline constexpr std::size_t kNumberBytes = 4;
inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kProofBytes = 64;

// The limits of one request, which both ends check before they allocate memory for it. A value is
// shorter than the request that it came in, so that any answer with it is a word, too.
inline constexpr std::uint32_t kMaxRequestWords = 1U << 16U;
inline constexpr std::uint32_t kMaxRequestBytes = 1U << 20U;

// Convert a number, and a word, to and from its bytes.
std::string bytes_of_number(std::uint32_t number);
std::uint32_t number_from(std::string_view bytes);
std::string bytes_of_word(std::string_view word);

// Returns the proof that one end knows the secret. `role` is that of the proving end.
std::string proof_of(std::string_view role, const std::string& secret, const std::string& nonces);

// Requests: their first word.
inline constexpr const char* kStoreSet = "set";             // key, value
inline constexpr const char* kStoreCompareSet = "compare";  // key, expected, value
inline constexpr const char* kStoreGet = "get";             // key
inline constexpr const char* kStoreAdd = "add";             // key, number
inline constexpr const char* kStoreDelete = "delete";       // key
inline constexpr const char* kStoreCount = "count";         //
inline constexpr const char* kStoreCheck = "check";         // keys
inline constexpr const char* kStoreWait = "wait";           // milliseconds, keys

// Serves on a thread of its own until it is destroyed. Throws CannotListen.
class StoreServer {
public:
    explicit StoreServer(const distributed::Place& place);
    ~StoreServer();
    StoreServer(const StoreServer&) = delete;
    StoreServer& operator=(const StoreServer&) = delete;

private:
    class Service;

    std::unique_ptr<Service> service_;
    std::thread thread_;
};

}  // namespace ptp::engine
