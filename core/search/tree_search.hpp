// The search of one tree, in any model and with any leaf evaluator: Algorithm 1, and keeping part of the tree.
#pragma once

#include "search/bamcp.hpp"
#include "search/tree.hpp"
#include "support/archive.hpp"

namespace bamdp {

class TreeSearch {
 public:
    virtual ~TreeSearch() = default;
    virtual void root(const Query& query, std::size_t simulations) = 0;  // a new search
    virtual void search(std::int64_t simulations) = 0;
    virtual void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) = 0;
    virtual std::shared_ptr<const Tree> tree() const = 0;
    virtual std::int32_t depth_reached() const = 0;
    virtual std::int64_t countable() const = 0;  // how many more simulations can be counted
    virtual void archive(Writer& a) = 0;
    virtual void archive(Reader& a) = 0;
};

template <Model M, LeafFor<M> L>
class TreeSearchOf final : public TreeSearch {
 public:
    TreeSearchOf(M model, std::int32_t num_actions, const Settings& settings, std::shared_ptr<const L> leaf, Random rng)
        : bamcp_(std::move(model), num_actions, settings, std::move(leaf), rng), settings_(settings) {}

    void root(const Query& query, std::size_t simulations) override {
        if (query.left.length > 0 && !CanRestart<M>)
            throw Unsupported(
                "episode_length must be None with this prior, whose model can't go on from a start state");
        bamcp_.root(query, simulations, settings_.reuse_tree ? played_node(query.state) : NO_NODE);
        played_.clear();
    }

    void search(std::int64_t simulations) override { bamcp_.search(simulations); }

    void observe(std::int64_t state, std::int32_t a, double reward, std::int64_t next_state) override {
        if (settings_.reuse_tree) played_.push_back({state, a, bamcp_.key(next_state, reward)});
    }

    std::shared_ptr<const Tree> tree() const override { return bamcp_.tree(); }
    std::int32_t depth_reached() const override { return bamcp_.depth_reached(); }
    std::int64_t countable() const override {
        return std::numeric_limits<std::int32_t>::max() - 1 - bamcp_.tree()->state(ROOT).visits;
    }

    void archive(Writer& a) override { archive_all(a); }
    void archive(Reader& a) override { archive_all(a); }

 private:
    // The node of the real history since the last root, if the tree has it.
    Node played_node(std::int64_t state) const {
        const Tree& tree = *bamcp_.tree();
        if (tree.size() == 0) return NO_NODE;
        Node node = ROOT;
        for (const auto& [from, a, key] : played_) {
            if (tree.state(node).key != from) return NO_NODE;
            node = tree.find(bamcp_.extend(node, a, key));
            if (node == NO_NODE) return NO_NODE;
        }
        return tree.state(node).key == state ? node : NO_NODE;
    }

    template <class Archive>
    void archive_all(Archive& a) {
        bamcp_.archive(a);
        if (!settings_.reuse_tree) return;  // else the tree is cleared before anything looks at it
        bamcp_.tree()->archive(a);
        auto steps = static_cast<std::uint64_t>(played_.size());
        a(steps);
        if constexpr (Archive::reading) played_.clear();
        for (std::uint64_t i = 0; i < steps; ++i) {
            if constexpr (Archive::reading) played_.push_back({});
            a(played_[i].state, played_[i].action, played_[i].key);
        }
    }

    struct Played {
        std::int64_t state;
        std::int32_t action;
        std::int64_t key;
    };

    Bamcp<M, L> bamcp_;
    const Settings settings_;
    std::vector<Played> played_;  // the real steps since the last search
};

}  // namespace bamdp
