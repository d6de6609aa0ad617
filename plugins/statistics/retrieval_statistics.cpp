// RetrievalStatistics: how often an image finds its text among others, and a text its image.

#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

namespace retrieval {

constexpr ptp::Statistic recall(const char* name, const char* help) {
    return ptp::computed(name, help).decimals(4).set_only().larger_is_better();
}

}  // namespace retrieval

class RetrievalStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "RetrievalStatistics";
    static constexpr const char* summary =
        "Recall at 1, 5 and 10 of images that look for their texts, and of texts that look for "
        "their images";
    static constexpr const char* description =
        "The samples of a set make pools of pool_size, in their order. Each image of a pool is "
        "compared with all of its texts, by the cosine of their embeddings. Its rank is 1 and how "
        "many texts of other samples are at least as near as its own, but for 1e-12; so if all are "
        "equally near, every rank is the last one. With use_labels all texts of samples with its label are its "
        "own, and the nearest one counts. image_to_text_recall_at_5 is the share of images with "
        "ranks up to 5, image_to_text_median_rank the median of the ranks; text_to_image is the "
        "same with images and texts exchanged.\n"
        "The smaller the pool, the easier: compare only numbers of equally large ones. The samples "
        "behind the last whole pool are left out, unless they are all: a set of up to pool_size "
        "samples is one pool. Memory is that of a pool's embeddings, whatever the size of the set. "
        "A set without samples has nan. Karpathy and Li 2015, arXiv 1412.2306, have pools of 1000 "
        "images of COCO; Radford et al. 2021, arXiv 2103.00020, the whole test set of 5000.";

    static constexpr std::array ports{
        ptp::input("image_embeddings", PTP_FLOAT, "B, size", "A vector for each image"),
        ptp::input("text_embeddings", PTP_FLOAT, "B, size", "A vector for the text of each image"),
        ptp::input("labels", PTP_INTEGER, "B", "Samples of one label match each other")
            .when("use_labels"),
        ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking")};
    static constexpr std::array statistics{
        retrieval::recall("image_to_text_recall_at_1", "Share of images whose text is the nearest"),
        retrieval::recall("image_to_text_recall_at_5",
                          "Share of images whose text is among the 5 nearest"),
        retrieval::recall("image_to_text_recall_at_10",
                          "Share of images whose text is among the 10 nearest"),
        ptp::computed("image_to_text_median_rank", "Median rank of an image's text; 1 is the best")
            .decimals(1)
            .set_only()
            .smaller_is_better(),
        retrieval::recall("text_to_image_recall_at_1", "Share of texts whose image is the nearest"),
        retrieval::recall("text_to_image_recall_at_5",
                          "Share of texts whose image is among the 5 nearest"),
        retrieval::recall("text_to_image_recall_at_10",
                          "Share of texts whose image is among the 10 nearest"),
        ptp::computed("text_to_image_median_rank", "Median rank of a text's image; 1 is the best")
            .decimals(1)
            .set_only()
            .smaller_is_better()};

    struct Config {
        int64_t pool_size = 1000;
        bool use_labels = false;
        bool use_masking = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "pool_size", &Config::pool_size,
                    {.help = "How many samples are searched together", .range = "[1, 100000]"}),
                ptp::setting("use_labels", &Config::use_labels,
                             {.help = "Whether samples with equal labels match each other"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only what has a true mask counts"})};
        }
    };

    explicit RetrievalStatistics(const Config& config) : pool_size_(config.pool_size) {}

    void forward(const at::Tensor& images, const at::Tensor& texts, const at::Tensor* labels,
                 const at::Tensor* masks, const ptp::Step& step) {
        ptp::support::require_sizes("text_embeddings", texts, images.sizes(),
                                    "as image_embeddings has");
        if (masks != nullptr) {
            ptp::support::require_sizes("masks", *masks, images.sizes().slice(0, 1),
                                        "as image_embeddings has");
        }
        const auto counted = [masks](const at::Tensor& rows) {
            return (masks == nullptr ? rows : rows.index({*masks})).cpu();
        };
        const at::Tensor own_images = counted(images);
        const at::Tensor own_texts = counted(texts);
        ptp::support::require_none(own_images.isfinite().logical_not(), "image_embeddings",
                                   own_images, "be finite");
        ptp::support::require_none(own_texts.isfinite().logical_not(), "text_embeddings", own_texts,
                                   "be finite");
        Set& set = sets_[step.set()];
        add(set.images, own_images);
        add(set.texts, own_texts);
        // Without labels each sample matches itself alone.
        add(set.labels,
            counted(labels == nullptr
                        ? at::arange(set.next_label, set.next_label + images.size(0),
                                     at::TensorOptions(images.device()).dtype(at::kLong))
                        : labels->to(at::kLong)));
        set.next_label += images.size(0);
        while (set.images.size(0) >= pool_size_) {
            count(set, pool_size_);
            for (at::Tensor* const rows : {&set.images, &set.texts, &set.labels}) {
                *rows = rows->slice(0, pool_size_).clone();
            }
        }
    }

    std::array<double, 8> aggregate(uint64_t number) {
        Set set = sets_[number];
        if (set.text_ranks.empty() && set.images.defined()) {
            count(set, set.images.size(0));
        }
        std::array<double, 8> values{};
        auto* value = values.data();
        for (const std::vector<int64_t>& ranks : {set.text_ranks, set.image_ranks}) {
            for (const size_t best : {1, 5, 10}) {
                *value++ = recall_of(ranks, best);
            }
            *value++ = median_of(ranks);
        }
        return values;
    }
    void reset(uint64_t set) { sets_.reset(set); }

    static constexpr auto state() {
        return std::tuple{ptp::kept("sets", &RetrievalStatistics::sets_)};
    }

private:
    static constexpr double kOfNothing = std::numeric_limits<double>::quiet_NaN();

    struct Set {
        at::Tensor images;  // [n, D], of the pool that is being filled; as the others
        at::Tensor texts;
        at::Tensor labels;
        int64_t next_label = 0;            // of samples without labels
        std::vector<int64_t> text_ranks;   // by rank, from 1: how many images have texts there
        std::vector<int64_t> image_ranks;  // the same of texts

        static constexpr auto state() {
            return std::tuple{ptp::kept("images", &Set::images),
                              ptp::kept("texts", &Set::texts),
                              ptp::kept("labels", &Set::labels),
                              ptp::kept("next_label", &Set::next_label),
                              ptp::kept("text_ranks", &Set::text_ranks),
                              ptp::kept("image_ranks", &Set::image_ranks)};
        }
    };

    static void add(at::Tensor& rows, const at::Tensor& more) {
        if (rows.defined() && rows.dim() > 1 && rows.size(1) != more.size(1)) {
            throw ptp::DataError("the embeddings have ", more.size(1),
                                 " numbers, earlier ones of the set ", rows.size(1));
        }
        rows = rows.defined() ? at::cat({rows, more}) : more.clone();
    }

    // Ranks the first `size` samples, as one pool.
    static void count(Set& set, int64_t size) {
        const auto first = [size](const at::Tensor& rows) { return rows.slice(0, 0, size); };
        const auto direction = [&](const at::Tensor& rows) {
            constexpr double kMinLength = 1e-12;
            const at::Tensor numbers = first(rows).to(at::kDouble);
            return numbers / numbers.norm(2, 1, true).clamp_min(kMinLength);
        };
        const at::Tensor images = direction(set.images);
        const at::Tensor texts = direction(set.texts);
        count(set.text_ranks, images, texts, first(set.labels));
        count(set.image_ranks, texts, images, first(set.labels));
    }

    static void count(std::vector<int64_t>& ranks, const at::Tensor& queries, const at::Tensor& all,
                      const at::Tensor& labels) {
        constexpr int64_t kRows = 256;  // compared at once, to bound the memory
        // The cosines of equal vectors may differ in their last bits: a matrix product adds up the
        // elements of each in an order of its own.
        constexpr double kRounding = 1e-12;
        const int64_t size = all.size(0);
        ranks.resize(std::max(ranks.size(), static_cast<size_t>(size)));
        for (int64_t begin = 0; begin < size; begin += kRows) {
            const int64_t end = std::min(begin + kRows, size);
            const at::Tensor cosines = queries.slice(0, begin, end).matmul(all.t());
            const at::Tensor is_own =
                labels.slice(0, begin, end).unsqueeze(1).eq(labels.unsqueeze(0));
            const at::Tensor best = cosines.masked_fill(is_own.logical_not(), -2).amax(1, true);
            const at::Tensor others =
                cosines.ge(best - kRounding).logical_and(is_own.logical_not()).sum(1).contiguous();
            const auto* number = others.data_ptr<int64_t>();
            std::for_each(number, number + others.numel(),
                          [&](int64_t nearer) { ++ranks[static_cast<size_t>(nearer)]; });
        }
    }

    static int64_t total(const std::vector<int64_t>& ranks) {
        return std::accumulate(ranks.begin(), ranks.end(), int64_t{0});
    }

    static double recall_of(const std::vector<int64_t>& ranks, size_t best) {
        const auto end = ranks.begin() + static_cast<int64_t>(std::min(best, ranks.size()));
        const int64_t found = std::accumulate(ranks.begin(), end, int64_t{0});
        const int64_t count = total(ranks);
        return count == 0 ? kOfNothing : static_cast<double>(found) / static_cast<double>(count);
    }

    // Returns the mean of the two ranks in the middle, which may be one.
    static double median_of(const std::vector<int64_t>& ranks) {
        const int64_t count = total(ranks);
        if (count == 0) {
            return kOfNothing;
        }
        const auto rank_at = [&ranks](int64_t place) {
            int64_t rank = 0;
            while (place >= 0) {
                place -= ranks[static_cast<size_t>(rank++)];
            }
            return static_cast<double>(rank);
        };
        return (rank_at((count - 1) / 2) + rank_at(count / 2)) / 2;
    }

    int64_t pool_size_;
    ptp::BySet<Set> sets_;
};

template const ptp_component_info& ptp::component<RetrievalStatistics>();
