#include "engine/conformance/outcome.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/nan_to_num.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace ptp::engine {

namespace fs = std::filesystem;

bool Outcome::is_close(const Outcome& other) const {
    if (!reals.defined() || !other.reals.defined() || reals.sizes() != other.reals.sizes()) {
        return bits == other.bits;
    }
    constexpr double kShare = 1e-3;  // of the greatest number
    const bool is_short = reals.element_size() < 4;
    const at::Tensor left = reals.to(at::kDouble);
    const double greatest =
        left.numel() == 0 ? 0 : left.nan_to_num(0, 0, 0).abs().max().item<double>();
    return at::allclose(left, other.reals.to(at::kDouble), 0,
                        (is_short ? 30 : 1) * kShare * std::max(greatest, 1e-6), true);
}

std::string bits_of(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return "none";
    }
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    std::string bits = fmt::format("{} {}:", c10::toString(plain.scalar_type()), plain.dim());
    for (const std::int64_t size : plain.sizes()) {
        bits += fmt::format(" {}", size);
    }
    return plain.nbytes() == 0
               ? bits
               : bits.append(static_cast<const char*>(plain.data_ptr()), plain.nbytes());
}

std::string bits_of(const Slot& slot) {
    if (is_tensor(slot.element)) {
        return bits_of(slot.tensor);
    }
    std::string bits;
    for (const at::Tensor& tensor : slot.list.tensors()) {
        bits += bits_of(tensor);
    }
    const ptp_text& text = slot.text;
    for (std::uint64_t i = 0; i < text.string_count; ++i) {
        bits.append(text.bytes + text.offsets[i], text.bytes + text.offsets[i + 1]) += '\n';
    }
    for (std::uint64_t i = 0; i < text.row_count; ++i) {
        bits += fmt::format("{} ", text.rows[i]);
    }
    return bits;
}

void add_files(const fs::path& folder, std::vector<Outcome>& outcomes) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        outcomes.push_back({fmt::format("the file {}", fs::relative(file, folder).string()),
                            {std::istreambuf_iterator<char>(in), {}}});
    }
}

void append(std::vector<Outcome>& all, std::vector<Outcome> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

std::string first_difference(const std::vector<Outcome>& left, const std::vector<Outcome>& right) {
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        if (left[i].what != right[i].what || left[i].bits != right[i].bits) {
            return left[i].what;
        }
    }
    return left.size() == right.size() ? "" : "the number of files";
}

}  // namespace ptp::engine
