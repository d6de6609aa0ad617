// Finds vectors of samples by what the header of their file lists.

#include "ptp-report/sample_vectors.hpp"

#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/principal_components.hpp"
#include "ptp-report/samples_section.hpp"

#include <algorithm>
#include <cstdint>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxStreams = 4;
constexpr std::size_t kMaxDrawn = 2000;         // samples
constexpr std::uint64_t kMaxWidth = 1U << 14U;  // numbers of a sample

bool are_vectors(const SampleFile& file, const std::string& stream, std::size_t count) {
    const SampleFile::Tensor* const tensor = file.find("stream/" + stream);
    return tensor != nullptr && tensor->type == "F32" && tensor->shape.size() == 2 && count > 0 &&
           tensor->shape[0] == count && tensor->width() > 1 && tensor->width() <= kMaxWidth;
}

Json drawn_vectors_of(const SampleFile& file, const std::string& stream,
                      const std::vector<std::int64_t>& index,
                      const std::vector<std::size_t>& rows) {
    const std::size_t width = file.find("stream/" + stream)->width();
    const std::size_t count = std::min(rows.size(), kMaxDrawn);
    std::vector<std::size_t> drawn;
    Json indices = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        drawn.push_back(rows[i * rows.size() / count]);
        indices.push_back(index[drawn.back()]);
    }
    const PrincipalComponents found =
        principal_components(file.reals("stream/" + stream, drawn), width);
    return {{"name", harmless(stream)},
            {"size", width},
            {"index", std::move(indices)},
            {"x", rounded(found.x)},
            {"y", rounded(found.y)},
            {"shares", {rounded(found.x_share), rounded(found.y_share)}}};
}

}  // namespace

std::vector<std::string> asked_vectors(const SampleFile& file, std::size_t count) {
    std::vector<std::string> streams;
    const Json asked = file.json("streams");
    for (std::size_t i = 0; asked.is_array() && i < asked.size(); ++i) {
        if (asked[i].is_string() && streams.size() < kMaxStreams &&
            are_vectors(file, asked[i].get<std::string>(), count)) {
            streams.push_back(asked[i].get<std::string>());
        }
    }
    return streams;
}

std::vector<std::string> known_vectors(const SampleFile& file, std::size_t count) {
    std::vector<std::string> streams = asked_vectors(file, count);
    for (const bool is_classes : {true, false}) {
        const Json judged = streams.empty() ? judged_in(file, is_classes) : Json(nullptr);
        if (!judged.is_null() &&
            are_vectors(file, judged["predictions"].get<std::string>(), count)) {
            streams.push_back(judged["predictions"].get<std::string>());
        }
    }
    return streams;
}

Json drawn_vectors(const SampleFile& file, const std::vector<std::int64_t>& index,
                   const std::vector<std::size_t>& rows) {
    Json list = Json::array();
    for (const std::string& stream : asked_vectors(file, index.size())) {
        list.push_back(drawn_vectors_of(file, stream, index, rows));
    }
    return list;
}

}  // namespace ptp::report
