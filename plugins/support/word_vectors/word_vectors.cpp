// Parses the blocks of a file on several threads, and joins the results in the order of the file.

#include "word_vectors.hpp"

#include "line_blocks.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ptp::support {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view first_line_of(const LineBlock& block) {
    std::string_view text = block.text();
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    return text.substr(0, text.find('\n'));
}

// The stored results of a block.
struct BlockVectors {
    std::int64_t lines = 0;
    std::vector<std::int64_t> indices;  // of the wanted words, in order
    std::vector<float> values;          // of their vectors, concatenated
    std::string problem;                // error in the last line read; "" if there is none
};

BlockVectors read_block(const LineBlock& block, const VectorFormat& format,
                        const WordVectorFile::IndexOf& index_of) {
    BlockVectors made;
    std::string_view text = block.text();
    if (block.number == 0 && text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    std::vector<float> values(static_cast<std::size_t>(format.size));
    bool is_header = block.number == 0 && format.has_header();
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
        text.remove_prefix(line.size());
        ++made.lines;
        if (std::exchange(is_header, false)) {
            continue;
        }
        std::string_view word;
        made.problem = read_vector(without_line_end(line), format, word, values);
        if (!made.problem.empty()) {
            break;
        }
        if (const auto index = index_of(word)) {
            made.indices.push_back(*index);
            made.values.insert(made.values.end(), values.begin(), values.end());
        }
    }
    return made;
}

// Reads the blocks of a file by several threads.
class ParallelRead {
public:
    ParallelRead(LineBlocks& blocks, LineBlock first, const VectorFormat& format,
                 const WordVectorFile::IndexOf& index_of)
        : blocks_(blocks), first_(std::move(first)), format_(format), index_of_(index_of) {}

    // Returns the results by block. Throws the exceptions of reading a block, unless a line before
    // it is wrong.
    std::map<std::int64_t, BlockVectors> run() {
        constexpr unsigned kMaxThreads = 16;
        std::vector<std::jthread> helpers;
        for (unsigned i = 1; i < std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
             ++i) {
            helpers.emplace_back([this] { work(); });
        }
        work();
        helpers.clear();  // waits for them
        if (failure_ && !has_problem()) {
            std::rethrow_exception(failure_);
        }
        return std::move(made_);
    }

private:
    // Works until there are no more blocks, or a line is wrong: later blocks do not matter.
    void work() {
        while (auto block = next()) {
            try {
                BlockVectors made = read_block(*block, format_, index_of_);
                const std::scoped_lock lock(mutex_);
                is_done_ = is_done_ || !made.problem.empty();
                made_.emplace(block->number, std::move(made));
            } catch (...) {
                fail();
            }
        }
    }

    std::optional<LineBlock> next() {
        const std::scoped_lock lock(mutex_);
        if (is_done_) {
            return std::nullopt;
        }
        if (first_) {
            return std::exchange(first_, std::nullopt);
        }
        try {
            return blocks_.next();
        } catch (...) {
            failure_ = std::current_exception();
            is_done_ = true;
            return std::nullopt;
        }
    }

    void fail() {
        const std::scoped_lock lock(mutex_);
        failure_ = std::current_exception();
        is_done_ = true;
    }

    bool has_problem() const {
        return std::ranges::any_of(made_,
                                   [](const auto& made) { return !made.second.problem.empty(); });
    }

    LineBlocks& blocks_;
    std::optional<LineBlock> first_;
    const VectorFormat& format_;
    const WordVectorFile::IndexOf& index_of_;

    std::mutex mutex_;  // guards blocks_, first_ and the members below
    std::map<std::int64_t, BlockVectors> made_;
    std::exception_ptr failure_;
    bool is_done_ = false;
};

}  // namespace

WordVectorFile::WordVectorFile(const std::filesystem::path& file)
    : file_(file), blocks_(line_blocks(file)) {
    auto block = blocks_->next();
    if (!block) {
        throw DataError(file, ": is empty, must have a word and its vector in each line");
    }
    first_ = std::make_unique<LineBlock>(*std::move(block));
    format_ = vector_format(without_line_end(first_line_of(*first_)));
    if (!format_.problem.empty()) {
        throw DataError(file, ":1: ", format_.problem);
    }
}

WordVectorFile::~WordVectorFile() = default;

WordVectorFile::Counts WordVectorFile::read(const IndexOf& index_of, const Store& store) {
    ParallelRead reading(*blocks_, std::move(*first_), format_, index_of);
    Counts counts;
    std::unordered_set<std::int64_t> stored;
    const auto size = static_cast<std::size_t>(format_.size);
    std::map<std::int64_t, BlockVectors> blocks = reading.run();
    while (!blocks.empty()) {
        const BlockVectors made = std::move(blocks.extract(blocks.begin()).mapped());
        counts.words += made.lines;
        if (!made.problem.empty()) {
            throw DataError(file_, ":", counts.words, ": ", made.problem);
        }
        for (std::size_t i = 0; i < made.indices.size(); ++i) {
            if (stored.insert(made.indices[i]).second) {
                store(made.indices[i], std::span(made.values).subspan(i * size, size));
            } else {
                ++counts.duplicates;
            }
        }
    }
    counts.words -= format_.has_header() ? 1 : 0;
    counts.found = static_cast<std::int64_t>(stored.size());
    if (format_.has_header() && counts.words != format_.words) {
        throw DataError(file_, ": has ", counts.words, " words, its header says ", format_.words);
    }
    return counts;
}

}  // namespace ptp::support
