// The method of Sugiyama, Tagawa and Toda (1981): layers by the longest path, invisible boxes where
// a line passes a layer, an order within each layer by barycentres, then positions.

#include "pipeline/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ptp::pipeline {

namespace {

constexpr double kGap = 28;       // between boxes of a layer
constexpr double kPassGap = 14;   // between a box and a line that passes
constexpr double kLayerGap = 34;  // between layers
constexpr double kMargin = 20;    // around everything
constexpr double kPassWidth = 6;  // of an invisible box
constexpr int kOrderSweeps = 16;
constexpr int kPositionSweeps = 60;

struct Item {
    double width = 0;
    double height = 0;
    std::size_t layer = 0;
    double x = 0;
    std::vector<std::size_t> above = {};
    std::vector<std::size_t> below = {};
};

class Layouter {
public:
    explicit Layouter(const std::vector<LayoutBox>& boxes) {
        for (const LayoutBox& box : boxes)
            items_.push_back({.width = box.width, .height = box.height});
    }

    void add_lines(const std::vector<std::pair<int, int>>& lines) {
        find_layers(lines);
        for (const auto& [from, to] : lines) {
            add_line(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        }
    }

    Layout run(std::vector<LayoutBox> boxes) {
        collect_layers();
        for (int i = 0; i < kOrderSweeps; ++i)
            order_layers(i % 2 == 0);
        for (auto& layer : layers_)
            pack(layer);
        for (int i = 0; i < kPositionSweeps; ++i)
            move_layers(i % 2 == 0);
        return finish(std::move(boxes));
    }

private:
    using Layer = std::vector<std::size_t>;

    void find_layers(const std::vector<std::pair<int, int>>& lines) {
        std::vector<std::pair<int, int>> sorted = lines;
        std::ranges::sort(sorted);
        for (const auto& [from, to] : sorted) {
            Item& below = items_[static_cast<std::size_t>(to)];
            below.layer = std::max(below.layer, items_[static_cast<std::size_t>(from)].layer + 1);
        }
    }

    // One chain of items for each line, with an invisible one in each layer between.
    void add_line(std::size_t from, std::size_t to) {
        std::vector<std::size_t> chain = {from};
        for (std::size_t layer = items_[from].layer + 1; layer < items_[to].layer; ++layer) {
            items_.push_back({.width = kPassWidth, .height = 0, .layer = layer});
            chain.push_back(items_.size() - 1);
        }
        chain.push_back(to);
        for (std::size_t i = 1; i < chain.size(); ++i) {
            items_[chain[i - 1]].below.push_back(chain[i]);
            items_[chain[i]].above.push_back(chain[i - 1]);
        }
        chains_.push_back(std::move(chain));
    }

    void collect_layers() {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (items_[i].layer >= layers_.size())
                layers_.resize(items_[i].layer + 1);
            layers_[items_[i].layer].push_back(i);
        }
    }

    void order_layers(bool downwards) {
        for (std::size_t step = 0; step < layers_.size(); ++step) {
            Layer& layer = layers_[downwards ? step : layers_.size() - 1 - step];
            std::vector<double> place(items_.size());
            for (const Layer& other : layers_) {
                for (std::size_t i = 0; i < other.size(); ++i) {
                    // Relative, because layers differ in how many boxes they have.
                    place[other[i]] =
                        (static_cast<double>(i) + 0.5) / static_cast<double>(other.size());
                }
            }
            std::vector<double> wanted(items_.size());
            for (const std::size_t item : layer) {
                const auto& neighbours = downwards ? items_[item].above : items_[item].below;
                wanted[item] = mean(neighbours, place, place[item]);
            }
            std::ranges::stable_sort(layer, {}, [&](std::size_t item) { return wanted[item]; });
        }
    }

    static double mean(const std::vector<std::size_t>& of, const std::vector<double>& values,
                       double otherwise) {
        if (of.empty())
            return otherwise;
        const double sum =
            std::accumulate(of.begin(), of.end(), 0.0,
                            [&](double so_far, std::size_t i) { return so_far + values[i]; });
        return sum / static_cast<double>(of.size());
    }

    double distance(std::size_t left, std::size_t right) const {
        const bool has_pass = items_[left].height == 0 || items_[right].height == 0;
        return (items_[left].width + items_[right].width) / 2 + (has_pass ? kPassGap : kGap);
    }

    void pack(const Layer& layer) {
        double x = 0;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            if (i > 0)
                x += distance(layer[i - 1], layer[i]);
            items_[layer[i]].x = x;
        }
        for (const std::size_t item : layer)
            items_[item].x -= x / 2;
    }

    // Moves each item towards its neighbours. Pushing apart from the left and from the right both
    // give a layer without overlaps, and so does the mean of the two.
    void move_layers(bool downwards) {
        for (std::size_t step = 0; step < layers_.size(); ++step) {
            const Layer& layer = layers_[downwards ? step : layers_.size() - 1 - step];
            std::vector<double> from_left;
            for (const std::size_t item : layer)
                from_left.push_back(wanted_x(item));
            std::vector<double> from_right = from_left;
            for (std::size_t i = 1; i < layer.size(); ++i) {
                const double least = from_left[i - 1] + distance(layer[i - 1], layer[i]);
                from_left[i] = std::max(from_left[i], least);
            }
            for (std::size_t i = layer.size() - 1; i > 0; --i) {
                const double most = from_right[i] - distance(layer[i - 1], layer[i]);
                from_right[i - 1] = std::min(from_right[i - 1], most);
            }
            for (std::size_t i = 0; i < layer.size(); ++i) {
                items_[layer[i]].x = (from_left[i] + from_right[i]) / 2;
            }
        }
    }

    // Long lines should be straight, so they pull more than short ones.
    double wanted_x(std::size_t item) const {
        double sum = 0;
        double weights = 0;
        for (const auto* neighbours : {&items_[item].above, &items_[item].below}) {
            for (const std::size_t other : *neighbours) {
                const double weight = weight_of(item) * weight_of(other);
                sum += weight * items_[other].x;
                weights += weight;
            }
        }
        return weights == 0 ? items_[item].x : sum / weights;
    }

    double weight_of(std::size_t item) const { return items_[item].height == 0 ? 3 : 1; }

    Layout finish(std::vector<LayoutBox> boxes) {
        double left = items_.front().x;
        double right = left;
        for (const Item& item : items_) {
            left = std::min(left, item.x - item.width / 2);
            right = std::max(right, item.x + item.width / 2);
        }
        std::vector<double> middle;
        std::vector<double> half;
        double y = kMargin;
        for (const Layer& layer : layers_) {
            double height = 0;
            for (const std::size_t item : layer)
                height = std::max(height, items_[item].height);
            middle.push_back(y + height / 2);
            half.push_back(height / 2);
            y += height + kLayerGap;
        }
        Layout layout{.boxes = std::move(boxes), .lines = {}};
        layout.width = right - left + 2 * kMargin;
        layout.height = y - kLayerGap + kMargin;
        const auto x_of = [&](std::size_t item) { return items_[item].x - left + kMargin; };
        for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
            layout.boxes[i].center = {x_of(i), middle[items_[i].layer]};
        }
        for (const auto& chain : chains_) {
            std::vector<LayoutPoint> points;
            for (const std::size_t item : chain) {
                const std::size_t layer = items_[item].layer;
                const bool is_pass = item >= layout.boxes.size();
                const double reach = is_pass ? half[layer] : items_[item].height / 2;
                if (item != chain.front())
                    points.push_back({x_of(item), middle[layer] - reach});
                if (item != chain.back())
                    points.push_back({x_of(item), middle[layer] + reach});
            }
            layout.lines.push_back(std::move(points));
        }
        return layout;
    }

    std::vector<Item> items_;  // the boxes, then the invisible ones
    std::vector<Layer> layers_;
    std::vector<std::vector<std::size_t>> chains_;
};

}  // namespace

Layout lay_out(std::vector<LayoutBox> boxes, const std::vector<std::pair<int, int>>& lines) {
    Layouter layouter(boxes);
    layouter.add_lines(lines);
    return layouter.run(std::move(boxes));
}

}  // namespace ptp::pipeline
