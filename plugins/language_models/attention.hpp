// Attention over the steps of a sequence: a weighted sum of its encodings, by what a query asks.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace recurrent {

// Bahdanau: score = v . tanh(W q + U x); Luong ("general"): score = q . U x. Positions: the query
// alone scores the steps by their places, W q + b, as PyTorchPipe has it.
enum class AttentionType { kBahdanau, kLuong, kPositions };

struct AttentionOptions {
    AttentionType type = AttentionType::kBahdanau;
    int64_t encoding_size = 0;
    int64_t query_size = 0;
    int64_t positions = 0;  // of Positions: how many steps have scores
};

class Attention {
public:
    // Registers the layers "query", "key" and "score" (Luong: "key" alone) in `owner`, as `name`;
    // the only layer of Positions is `name` itself.
    Attention(torch::nn::Module& owner, const char* name, const AttentionOptions& options);

    // The part that stays the same for all queries to a sequence.
    struct Memory {
        at::Tensor encodings;  // [B, S, I]
        at::Tensor keys;       // [B, S, Q]; undefined with Positions
        at::Tensor is_out;     // [B, S], true where there is no word; undefined: nowhere
    };
    // Throws DataError if Positions has fewer scores than there are steps. [step]
    [[nodiscard]] Memory memory(const at::Tensor& encodings, const at::Tensor* lengths);

    // [B, Q] -> [B, I]; `map` (optional) receives the weights of the steps, [B, S].
    [[nodiscard]] at::Tensor context(const at::Tensor& query, const Memory& memory,
                                     at::Tensor* map = nullptr);

private:
    AttentionType type_;
    std::shared_ptr<torch::nn::Module> layers_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear key_ = nullptr;
    torch::nn::Linear query_ = nullptr;  // of Bahdanau
    torch::nn::Linear score_ = nullptr;  // of Bahdanau and Positions
};

}  // namespace recurrent
