#include "image_networks.hpp"

#include "support/golden.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace test::networks {

namespace {

constexpr int64_t kPrime = 65521;

// Element k of the tensor of this name, in [-0.5, 0.5).
class Noise {
public:
    explicit Noise(const std::string& name) {
        for (size_t i = 0; i < name.size(); ++i) {
            seed_ += static_cast<int64_t>(i + 1) * name[i];
        }
        seed_ %= kPrime;
    }
    double operator()(int64_t index) const {
        const int64_t k = index % kPrime;
        const int64_t mixed = (k * k % kPrime * 7919 + k * 31 + seed_ * (k + 17)) % kPrime;
        return static_cast<double>(mixed) / kPrime - 0.5;
    }

private:
    int64_t seed_ = 0;
};

void fill_tensor(const std::string& name, const at::Tensor& tensor) {
    double factor = 0.1;
    double offset = 0;
    if (tensor.dim() > 1) {
        factor = std::sqrt(24 / static_cast<double>(tensor[0].numel()));
    } else if (name.ends_with("weight")) {
        factor = 0.2;
        offset = 0.8;
    } else if (name.ends_with("running_var")) {
        factor = 0.4;
        offset = 1;
    }
    const Noise noise(name);
    float* numbers = tensor.data_ptr<float>();
    for (int64_t k = 0; k < std::min(tensor.numel(), kPrime); ++k) {
        numbers[k] = static_cast<float>(offset + factor * noise(k));
    }
    for (int64_t k = kPrime; k < tensor.numel(); ++k) {
        numbers[k] = numbers[k - kPrime];  // A network has up to 138 million.
    }
}

std::map<std::string, at::Tensor> tensors_of(Component& net) {
    std::map<std::string, at::Tensor> tensors = net.parameters();
    tensors.merge(net.buffers());
    return tensors;
}

}  // namespace

void fill(Component& net) {
    const torch::NoGradGuard no_grad;
    for (const auto& named : tensors_of(net)) {
        if (named.second.is_floating_point()) {
            fill_tensor(named.first, named.second);
        }
    }
}

void make_double(Component& net) {
    const torch::NoGradGuard no_grad;
    for (const auto& named : tensors_of(net)) {
        if (named.second.is_floating_point()) {
            at::Tensor tensor = named.second;
            tensor.set_data(tensor.to(at::kDouble));
        }
    }
}

at::Tensor images(int64_t height, int64_t width) {
    const Noise noise("images");
    at::Tensor made = torch::empty({2, 3, height, width});
    float* numbers = made.data_ptr<float>();
    for (int64_t k = 0; k < made.numel(); ++k) {
        numbers[k] = static_cast<float>(noise(k)) * 4;
    }
    return made;
}

void check_like(const at::Tensor& tensor, const std::string& name) {
    CAPTURE(name);
    const std::vector<double> expected = ptp::test::golden("image_networks", name);
    const auto rank = static_cast<size_t>(tensor.dim());
    REQUIRE(expected.size() > rank + 2);
    const std::vector<double> sizes(tensor.sizes().begin(), tensor.sizes().end());
    CHECK(std::equal(sizes.begin(), sizes.end(), expected.begin()));

    const at::Tensor flat = tensor.detach().to(torch::kDouble).flatten();
    const double scale = expected[rank + 1];
    CHECK(std::abs(flat.sum().item<double>() - expected[rank]) <= 1e-5 * scale);
    CHECK(std::abs(flat.abs().sum().item<double>() - scale) <= 1e-5 * scale);
    const double largest = flat.abs().max().item<double>();
    const int64_t step = std::max<int64_t>(1, flat.numel() / 7);
    for (size_t i = rank + 2; i < expected.size(); ++i) {
        CAPTURE(i);
        const double value = flat[static_cast<int64_t>(i - rank - 2) * step].item<double>();
        CHECK(std::abs(value - expected[i]) <= 1e-5 * largest);
    }
}

void check_names(Component& net, const std::string& network) {
    uint64_t hash = 0;
    const auto tensors = tensors_of(net);
    for (const auto& named : tensors) {
        std::ostringstream text;
        text << named.first << " [";
        for (int64_t i = 0; i < named.second.dim(); ++i) {
            text << (i == 0 ? "" : ", ") << named.second.size(i);
        }
        text << "];";
        for (const char c : text.str()) {
            hash = (hash * 257 + static_cast<uint64_t>(c)) % 2147483647;
        }
    }
    CHECK(ptp::test::golden("image_networks", network + ".names") ==
          std::vector<double>{static_cast<double>(tensors.size()), static_cast<double>(hash)});
}

}  // namespace test::networks
