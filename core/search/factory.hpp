// The only place where searches are made: the model, by belief and sampling, and the leaf evaluator.
#pragma once

#include "models/sampling.hpp"
#include "search/leaves/arms.hpp"
#include "search/leaves/line_paths.hpp"
#include "search/leaves/rollout.hpp"
#include "search/leaves/user_policy.hpp"
#include "search/leaves/user_value.hpp"
#include "search/leaves/value_table.hpp"
#include "search/search.hpp"

namespace bamdp {

// One of the values of `rollouts`.
template <class L>
struct LeafKind {
    const char* name;
    bool greedy = false;  // its policy has the epsilon of the settings; else it is uniform
    bool offered = true;  // in messages
};

inline constexpr std::tuple LEAF_KINDS{
    LeafKind<Rollout>{"learned", true},
    LeafKind<Rollout>{"uniform"},
    LeafKind<LinePaths>{"lines", true, false},  // by the best path on the infinite grid
    LeafKind<NoReversal>{"straight"},
    LeafKind<ValueTable>{"posterior-mean", true},
    LeafKind<BestArm>{"best-arm"},
    LeafKind<Hindsight>{"hindsight"},
    LeafKind<UserPolicy>{"policy"},
    LeafKind<UserValue>{"value"},
};

template <class M>
std::string default_rollouts() {
    if constexpr (requires { M::default_rollouts; })
        return M::default_rollouts;
    else
        return "learned";
}

// The names of the leaf evaluators for a model, for error messages.
template <class M>
std::string rollouts_for() {
    std::string names;
    const auto add = [&]<class L>(const LeafKind<L>& kind) {
        if (!kind.offered) return;
        if constexpr (std::is_same_v<ModelFor<L, M>, M>)
            names += std::string(names.empty() ? "\"" : ", \"") + kind.name + '"';
    };
    std::apply([&](const auto&... kinds) { (add(kinds), ...); }, LEAF_KINDS);
    return names;
}

template <Model M, LeafFor<M> L, class Belief, class... More>
std::unique_ptr<Search> make_trees(const std::shared_ptr<const Belief>& belief,
                                   const std::shared_ptr<const Rewards>& rewards, const Settings& settings,
                                   const std::vector<Seed>& seeds, const std::shared_ptr<const More>&... more) {
    if constexpr (requires { requires !M::keys_last; })
        if (settings.reuse_tree)
            throw Unsupported(
                "reuse_tree must be False where rewards are normal: nodes are intervals of rewards, which change with "
                "the belief");
    const CacheLock use(*belief);
    const auto leaf = std::make_shared<L>(belief->num_actions, settings);
    if constexpr (requires { leaf->read(belief); }) leaf->read(belief);
    auto search = std::make_unique<Search>(belief, leaf, settings, Random(seeds.back()));
    (search->read(more), ...);
    for (std::size_t i = 0; i + 1 < seeds.size(); ++i) {
        M model(belief, rewards, more...);
        if constexpr (requires { model.keep_tree(); })
            if (settings.reuse_tree) model.keep_tree();
        if constexpr (requires { leaf->check(model); }) leaf->check(model);
        search->add(std::make_unique<TreeSearchOf<M, L>>(std::move(model), belief->num_actions, settings, leaf,
                                                         Random(seeds[i])));
    }
    return search;
}

template <Model M, class L, class Belief, class... More>
std::unique_ptr<Search> make_search_with(const std::shared_ptr<const Belief>& belief,
                                         const std::shared_ptr<const Rewards>& rewards, const Settings& settings,
                                         const std::vector<Seed>& seeds, const std::shared_ptr<const More>&... more) {
    using Played = ModelFor<L, M>;
    if constexpr (std::is_same_v<Played, Arms>) {
        if (Arms::is_about(*belief)) {
            Arms::check(*rewards, belief->num_actions);
            return make_trees<Arms, L>(belief, rewards, settings, seeds, more...);
        }
    } else if constexpr (is_for<L, M>) {
        return make_trees<M, L>(belief, rewards, settings, seeds, more...);
    }
    throw Unsupported("rollouts=\"" + settings.rollouts + "\" " + L::NEEDED + "; here rollouts can be " +
                      rollouts_for<M>());
}

template <Model M, class Belief, class... More>
std::unique_ptr<Search> make_search_in(const std::shared_ptr<const Belief>& belief,
                                       const std::shared_ptr<const Rewards>& rewards, Settings settings,
                                       const std::vector<Seed>& seeds, const std::shared_ptr<const More>&... more) {
    if (settings.rollouts.empty()) settings.rollouts = default_rollouts<M>();
    std::unique_ptr<Search> search;
    const auto consider = [&]<class L>(const LeafKind<L>& kind) {
        if (settings.rollouts != kind.name) return;
        if (!kind.greedy) settings.epsilon = 1;
        search = make_search_with<M, L>(belief, rewards, settings, seeds, more...);
    };
    std::apply([&](const auto&... kinds) { (consider(kinds), ...); }, LEAF_KINDS);
    if (!search)
        throw std::invalid_argument("rollouts must be one of " + rollouts_for<M>() + ", got \"" + settings.rollouts +
                                    '"');
    return search;
}

template <Sampling S, class Belief, class... More>
std::unique_ptr<Search> make_sampled(const std::shared_ptr<const Belief>& belief,
                                     const std::shared_ptr<const Rewards>& rewards, const Settings& settings,
                                     const std::vector<Seed>& seeds, const std::shared_ptr<const More>&... more) {
    using Found = ModelOf<S, Belief, More...>;
    if constexpr (Found::unsupported == nullptr)
        return make_search_in<typename Found::type>(belief, rewards, settings, seeds, more...);
    else
        throw Unsupported(Found::unsupported);
}

// A search that plans with `belief`, one tree for each seed but the last. `more` are further arguments of the model.
template <class Belief, class... More>
std::unique_ptr<Search> make_search(const std::shared_ptr<const Belief>& belief,
                                    const std::shared_ptr<const Rewards>& rewards, const Settings& settings,
                                    const std::vector<Seed>& seeds, const std::shared_ptr<const More>&... more) {
    switch (settings.sampling) {
        case Sampling::collapsed:
            return make_sampled<Sampling::collapsed>(belief, rewards, settings, seeds, more...);
        case Sampling::lazy:
            return make_sampled<Sampling::lazy>(belief, rewards, settings, seeds, more...);
        case Sampling::full:
            return make_sampled<Sampling::full>(belief, rewards, settings, seeds, more...);
        case Sampling::resampled:
            return make_sampled<Sampling::resampled>(belief, rewards, settings, seeds, more...);
    }
    throw std::invalid_argument("sampling");
}

}  // namespace bamdp
