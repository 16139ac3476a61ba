// Roll-outs on the infinite grid by the best path, planned again after each simulated step (models/grid_paths.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "models/grid_rewards.hpp"
#include "search/leaves/rollout.hpp"

namespace bamdp {

class LinePaths final : public LeafEvaluator {
 public:
    template <class M>
    using ModelFor = std::conditional_t<std::is_same_v<M, GridModel>, M, void>;
    static constexpr const char* NEEDED = "is for infinite grids only, with GridRewards as prior";

    using Window = GridWindow<64>;  // beyond, roll-outs go straight on

    struct Memory {
        std::unique_ptr<Window> window;
        std::uint64_t search = 0;  // that the window is of
        Place here{0, 0};
        bool fresh = true;

        void begin() { fresh = true; }
    };

    LinePaths(std::int32_t, const Settings& settings)
        : root_(std::make_unique<Window>(settings.discount, settings.bonus)) {}

    void read(std::shared_ptr<const GridBelief> belief) { belief_ = std::move(belief); }

    void prepare(const Query& query) override {
        start_ = Place::of(query.state);
        root_->fill(belief_->lines(), belief_->cells(), start_);
        root_->observe(start_, Place::content(query.state));
        ++search_;
    }

    template <Model M>
    BAMDP_INLINE std::int32_t action(Memory& memory, const M&, Index, std::int32_t last, Random& rng) const {
        begin(memory);
        if (!memory.window->can_plan(memory.here)) [[unlikely]]
            return last == NONE ? 0 : last;
        const std::array<float, 4> q = memory.window->q_values(memory.here);
        const double enough = static_cast<double>(*std::max_element(q.begin(), q.end())) - Window::SLACK;
        std::int32_t chosen = 0;
        std::int64_t ties = 0;
        for (std::int32_t a = 0; a < 4; ++a)
            if (static_cast<double>(q[static_cast<std::size_t>(a)]) >= enough && (++ties == 1 || rng.below(ties) == 0))
                chosen = a;
        return chosen;
    }

    template <Model M>
    BAMDP_INLINE void learn(Memory& memory, const M&, Index, std::int32_t, const Step& step, Index, bool,
                            std::int32_t) const {
        begin(memory);
        memory.here = Place::of(step.key);
        if (memory.window->contains(memory.here)) memory.window->observe(memory.here, Place::content(step.key));
    }

 private:
    void begin(Memory& memory) const {
        if (!memory.fresh) return;
        memory.fresh = false;
        memory.here = start_;
        if (memory.search == search_) return memory.window->undo();
        memory.search = search_;
        if (memory.window)
            *memory.window = *root_;
        else
            memory.window = std::make_unique<Window>(*root_);
        memory.window->keep();
    }

    std::shared_ptr<const GridBelief> belief_;
    std::unique_ptr<Window> root_;
    Place start_{0, 0};
    std::uint64_t search_ = 0;
};

}  // namespace bamdp
