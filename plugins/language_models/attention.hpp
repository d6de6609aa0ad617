// Attention over the steps of a sequence: a weighted sum of its encodings, by what a query asks.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace recurrent {

// Bahdanau: score = v . tanh(W q + U x); Luong ("general"): score = q . U x.
enum class AttentionType { kBahdanau, kLuong };

struct AttentionOptions {
    AttentionType type = AttentionType::kBahdanau;
    int64_t encoding_size = 0;
    int64_t query_size = 0;
};

class Attention {
public:
    // Its layers "query", "key" and "score" (Luong: "key" alone) are in `owner`, as `name`.
    Attention(torch::nn::Module& owner, const char* name, const AttentionOptions& options);

    // What stays the same for all queries to a sequence.
    struct Memory {
        at::Tensor encodings;  // [B, S, I]
        at::Tensor keys;       // [B, S, Q]
        at::Tensor is_out;     // [B, S], true where there is no word; undefined: nowhere
    };
    [[nodiscard]] Memory memory(const at::Tensor& encodings, const at::Tensor* lengths);

    // [B, Q] -> [B, I]; `map` (optional) receives the weights of the steps, [B, S].
    [[nodiscard]] at::Tensor context(const at::Tensor& query, const Memory& memory,
                                     at::Tensor* map = nullptr);

private:
    AttentionType type_;
    std::shared_ptr<torch::nn::Module> layers_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear key_ = nullptr;
    torch::nn::Linear query_ = nullptr;  // these two of Bahdanau's
    torch::nn::Linear score_ = nullptr;
};

}  // namespace recurrent
