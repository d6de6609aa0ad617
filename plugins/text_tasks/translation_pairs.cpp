// TranslationPairs: sentences and their translations, from the Tatoeba project.

#include "corpus.hpp"
#include "sentence_cleaning.hpp"
#include "subset.hpp"
#include "unlabeled_texts.hpp"

#include <ptp/component.hpp>
#include <text_file.hpp>
#include <word_table.hpp>
#include <wrong_lines.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

class TranslationPairs {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "TranslationPairs";
    // The number is known once they are read.
    static constexpr const char* sample_count =
        "if($dataset or $subset or $sentence_length or $seed, *, *)";
    static constexpr const char* summary = "English sentences and their translations";
    static constexpr const char* description =
        "The file `DATASET.txt` in data_folder, or the second language's, `fra.txt` for eng-fra, as "
        "its archive has it: UTF-8, in each line a sentence, a tab, its translation and maybe "
        "another tab and who wrote them, which is not used.\n"
        "Sentences become words: lower case, without accents; each of . ! ? is a word, digits and "
        "all other marks separate words. Letters of all scripts are kept; vowel signs that take "
        "a place of their own, as in Devanagari, separate words.\n"
        "All pairs are shuffled by `seed` alone; of N pairs the first floor(N / 20) are the "
        "subset test, as many after them valid, all others train. So subsets have no line in "
        "common and are the same for each sentence_length; but a sentence with several "
        "translations, or that is there twice when its marks are gone, may be in several. Then "
        "pairs are left out that have more than sentence_length words on a side, or none.\n"
        "The file is read whole when a training begins; nothing is written. To translate into "
        "English exchange the names of the two streams.\n"
        "source_word_mappings and target_word_mappings are vocabularies of the subset train, for "
        "each section the same: words by first appearance, of the pairs that are not left out.\n"
        "`texts` and `samples` are sentences without translations instead, of any length; they become "
        "words in the same way.";

    static constexpr std::array ports{
        ptp::output("sources", PTP_TOKENS, "B", "Words of the sentences"),
        ptp::output("targets", PTP_TOKENS, "B", "Words of their translations")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!texts & !samples")};
    static constexpr std::array globals{
        ptp::publishes_if_named("source_word_mappings",
                                "Words of the training's sentences: a table to their indices")
            .purpose(PTP_PURPOSE_VOCABULARY)
            .when("!texts & !samples"),
        ptp::publishes_if_named("target_word_mappings",
                                "Words of their translations: a table to their indices")
            .purpose(PTP_PURPOSE_VOCABULARY)
            .when("!texts & !samples")};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain =
        "take the archive of a pair of languages, such as fra-eng.zip, from "
        "https://www.manythings.org/anki/, unpack it, and set data_folder to where its file is";

    struct Config : UnlabeledTextsConfig {
        std::filesystem::path data_folder = "~/data/language_modeling/translation_pairs";
        std::string dataset = "eng-fra";
        std::optional<std::string> subset;
        int64_t sentence_length = 10;
        int64_t seed = 42;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("data_folder", &Config::data_folder,
                                 {.help = "Folder with the file",
                                  .obtain = kObtain,
                                  .purpose = PTP_PURPOSE_DATA_FOLDER}),
                    ptp::setting("dataset", &Config::dataset,
                                 {.help = "The two languages: eng-fra, eng-pol or the like"}),
                    ptp::setting(
                        "subset", &Config::subset,
                        {.help = "Which pairs; if not given, those for the section: train for "
                                 "training, valid for validation, test for test",
                         .choices = "train|valid|test",
                         .purpose = PTP_PURPOSE_SPLIT}),
                    ptp::setting(
                        "sentence_length", &Config::sentence_length,
                        {.help = "Most words on a side of a pair, . ! ? included; -1: any number",
                         .range = "[-1, inf)"}),
                    ptp::setting("seed", &Config::seed,
                                 {.help = "Which pairs are in which subset; not the run's seed"})},
                UnlabeledTextsConfig::settings());
        }
    };

    TranslationPairs(const Config& config, const ptp::Setup& setup) {
        if (config.sentence_length == 0) {
            throw ptp::SettingError("sentence_length", "must be at least 1, or -1 for any number");
        }
        if (config.is_unlabeled()) {
            add_sentences(config.read());
            return;
        }
        const std::string subset = subset_of(config.subset, setup.section());
        const std::filesystem::path file = find_file(config);
        const std::string text = ptp::support::read_text(file);
        std::vector<Pair> pairs = read_pairs(file, text);
        ptp::Random(static_cast<uint64_t>(config.seed)).shuffle(pairs);
        const size_t held_out = pairs.size() / 20;
        const size_t train = 2 * held_out;  // begin of the subset train
        const size_t begin = subset == "train" ? train : subset == "valid" ? held_out : 0;
        const size_t end = subset == "train" ? pairs.size() : begin + held_out;
        if (begin == end) {
            throw ptp::DataError(file, ": has ", pairs.size(), " pairs; the subset ", subset,
                                 " needs a file of at least 20");
        }
        Vocabularies vocabularies;
        const bool is_training = subset == "train";
        for (size_t i = begin; i < end; ++i) {
            const CleanPair words = clean(pairs[i], config.sentence_length);
            add(words);
            if (is_training) {
                vocabularies.add(words);
            }
        }
        for (size_t i = is_training ? end : train; i < pairs.size(); ++i) {
            vocabularies.add(clean(pairs[i], config.sentence_length));
        }
        if (size() == 0) {
            throw ptp::DataError(file, ": none of the ", end - begin, " pairs of the subset ",
                                 subset, " has 1 to sentence_length = ", config.sentence_length,
                                 " words on both sides");
        }
        setup.log_info(ptp::detail::join(size(), " of the ", end - begin, " pairs of the subset ",
                                         subset, " are used, the others are too long or empty"));
        vocabularies.publish(setup);
    }

    int64_t size() const { return static_cast<int64_t>(samples_.size()); }

    std::tuple<std::vector<std::string>, std::vector<std::string>> sample(int64_t index,
                                                                          ptp::Random&) const {
        const Words& words = samples_[static_cast<size_t>(index)];
        return {corpus_.words(words.begin, words.source_count),
                corpus_.words(words.begin + words.source_count, words.target_count)};
    }

private:
    struct Pair {
        std::string_view source;
        std::string_view target;
    };
    struct Words {
        size_t begin = 0;
        size_t source_count = 0;
        size_t target_count = 0;
    };

    static std::filesystem::path find_file(const Config& config) {
        if (config.dataset.empty() || config.dataset.find('/') != std::string::npos) {
            throw ptp::SettingError("dataset", "must be two languages, such as eng-fra");
        }
        const auto file = config.data_folder / (config.dataset + ".txt");
        const auto dash = config.dataset.find('-');
        const auto other =
            config.data_folder /
            ((dash == std::string::npos ? config.dataset : config.dataset.substr(dash + 1)) +
             ".txt");
        if (std::filesystem::exists(file)) {
            return file;
        }
        if (std::filesystem::exists(other)) {
            return other;
        }
        const std::string there = pairs_in(config.data_folder);
        throw ptp::DataError(file, ": no such file",
                             file == other ? "" : ", nor " + other.filename().string(), "; ",
                             kObtain, there.empty() ? "" : "\nfix: set dataset = " + there);
    }

    // Returns "\"eng-ita\"" for a file eng-ita.txt, or ita.txt, in the folder; "" without any.
    static std::string pairs_in(const std::filesystem::path& folder) {
        std::set<std::string> found;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            std::string name = entry.path().stem().string();
            name.insert(0, name.size() == 3 ? "eng-" : "");
            const bool is_pair =
                name.size() == 7 && name[3] == '-' && std::ranges::count_if(name, [](char letter) {
                                                          return 'a' <= letter && letter <= 'z';
                                                      }) == 6;
            if (is_pair && entry.path().extension() == ".txt") {
                found.insert('"' + name + '"');
            }
        }
        std::string names;
        for (const std::string& name : found) {
            names += (names.empty() ? "" : " or ") + name;
        }
        return names;
    }

    static std::vector<Pair> read_pairs(const std::filesystem::path& file, std::string_view text) {
        std::vector<Pair> pairs;
        ptp::support::WrongLines wrong(file);
        ptp::support::for_each_line(text, [&](std::string_view line, int64_t number) {
            const size_t tab = line.find('\t');
            const size_t rest = tab == std::string_view::npos ? tab : line.find('\t', tab + 1);
            if (tab == std::string_view::npos || tab == 0 || tab + 1 == line.size() ||
                rest == tab + 1) {
                wrong.add(number, "expected a sentence and its translation, with a tab between");
                return;
            }
            pairs.push_back({line.substr(0, tab), line.substr(tab + 1, rest - tab - 1)});
        });
        wrong.throw_if_any();
        if (pairs.empty()) {
            throw ptp::DataError(file,
                                 ": is empty, expected a sentence and its translation in "
                                 "each line");
        }
        return pairs;
    }

    struct CleanPair {
        std::vector<std::string> source;
        std::vector<std::string> target;
    };

    // Adds sentences without translations.
    void add_sentences(const ptp::support::Texts& sentences) {
        for (size_t i = 0; i < sentences.size(); ++i) {
            CleanPair words;
            for_each_clean_word(sentences[i],
                                [&](std::string_view word) { words.source.emplace_back(word); });
            if (words.source.empty()) {
                throw ptp::DataError("sentence ", i + 1, " has no words: '", sentences[i], "'");
            }
            add(words);
        }
    }

    // The words of the source and of the target sentences.
    struct Vocabularies {
        ptp::support::WordTable sources;
        ptp::support::WordTable targets;

        void add(const CleanPair& pair) {
            std::ranges::for_each(pair.source, [&](const auto& word) { sources.add(word); });
            std::ranges::for_each(pair.target, [&](const auto& word) { targets.add(word); });
        }
        void publish(const ptp::Setup& setup) const {
            setup.publish("source_word_mappings", sources.mappings());
            setup.publish("target_word_mappings", targets.mappings());
        }
    };

    // Returns empty sides if the pair is excluded: it is too long or a side has no words.
    static CleanPair clean(const Pair& pair, int64_t longest) {
        CleanPair words;
        for_each_clean_word(pair.source,
                            [&](std::string_view word) { words.source.emplace_back(word); });
        for_each_clean_word(pair.target,
                            [&](std::string_view word) { words.target.emplace_back(word); });
        const auto fits = [&](const std::vector<std::string>& side) {
            return !side.empty() && (longest < 0 || side.size() <= static_cast<size_t>(longest));
        };
        return fits(words.source) && fits(words.target) ? words : CleanPair();
    }

    void add(const CleanPair& pair) {
        if (pair.source.empty()) {
            return;
        }
        samples_.push_back({corpus_.size(), pair.source.size(), pair.target.size()});
        for (const auto* side : {&pair.source, &pair.target}) {
            for (const std::string& word : *side) {
                corpus_.add(word);
            }
        }
    }

    Corpus corpus_;
    std::vector<Words> samples_;
};

template const ptp_component_info& ptp::component<TranslationPairs>();
