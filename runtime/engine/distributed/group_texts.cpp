// What processes exchange without knowing its size.

#include "engine/distributed/group.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

at::Tensor bytes_of(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    if (!text.empty()) {
        std::memcpy(bytes.data_ptr(), text.data(), text.size());
    }
    return bytes;
}

std::string from_bytes(const at::Tensor& bytes) {
    return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

}  // namespace

std::vector<std::string> Group::gather(const std::string& text, const char* what) {
    const at::Tensor numbers = at::zeros({static_cast<std::int64_t>(size())}, at::kLong);
    numbers.data_ptr<std::int64_t>()[rank()] = static_cast<std::int64_t>(text.size());
    sum(numbers, what);
    const std::vector<std::int64_t> sizes(numbers.data_ptr<std::int64_t>(),
                                          numbers.data_ptr<std::int64_t>() + numbers.numel());
    std::vector<std::string> texts;
    for (const at::Tensor& part : begin_gather(bytes_of(text), sizes, what).wait()) {
        texts.push_back(from_bytes(part));
    }
    return texts;
}

std::string Group::share(const std::string& text, const char* what) {
    const at::Tensor size = at::empty({1}, at::kLong);
    *size.data_ptr<std::int64_t>() = static_cast<std::int64_t>(text.size());
    broadcast(size, what);
    at::Tensor bytes =
        is_first() ? bytes_of(text) : at::empty({*size.data_ptr<std::int64_t>()}, at::kByte);
    broadcast(bytes, what);
    return from_bytes(bytes);
}

void Group::barrier(const char* what) {
    sum(at::zeros({1}, at::kLong), what);
}

}  // namespace ptp::engine
