#include "experiment/read_section.hpp"
#include "schema/one_of.hpp"

namespace ptp::experiment {

std::optional<Sampler> read_sampler(const Scope& scope, bool is_training) {
    const Folds folds = {.part = is_training ? "training" : "validation"};
    const Split split = {.is_measured = !is_training};
    const Lengths lengths = {.shuffle = is_training};
    const auto read = schema::read_one_of<AnySampler>(
        scope, "the kind of sampler", {},
        {KFoldRandomSampler{folds}, KFoldWeightedRandomSampler{folds, {}},
         KFoldStratifiedSampler{folds, {}}, RandomSplitSampler{split},
         StratifiedSplitSampler{split, {}}, LengthGroupedSampler{lengths},
         KFoldLengthGroupedSampler{folds, lengths}, LengthGroupedSplitSampler{split, lengths}});
    if (!read) {
        return std::nullopt;
    }
    std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.problems(scope.table); }) {
                for (const schema::KeyProblem& problem : one.problems(scope.table)) {
                    report(scope, problem);
                }
            }
        },
        *read);
    return Sampler{*read, scope.table.place()};
}

Value sampler_tree(const Sampler& sampler) {
    Value table = schema::write_one_of(sampler.options);
    if (table.find("labels") != nullptr) {
        table.erase("label_stream");
    }
    return table;
}

}  // namespace ptp::experiment
