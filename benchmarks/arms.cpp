// The plain program: two uniform arms over T steps, three loops for each step, a whole cube of values for this step and one for the next.
//
// Prints the seconds and the expected number of successes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int, char** arguments) {
    const int T = std::atoi(arguments[1]);
    const auto started = std::chrono::steady_clock::now();
    const auto at = [T](int s1, int f1, int s2) { return (static_cast<std::size_t>(s1) * (T + 1) + f1) * (T + 1) + s2; };
    std::vector<double> now(static_cast<std::size_t>(T + 1) * (T + 1) * (T + 1)), next(now.size());
    for (int t = T - 1; t >= 0; --t) {
        std::swap(now, next);
        for (int s1 = 0; s1 <= t; ++s1)
            for (int f1 = 0; s1 + f1 <= t; ++f1)
                for (int s2 = 0; s1 + f1 + s2 <= t; ++s2) {
                    const int f2 = t - s1 - f1 - s2;
                    const double p1 = (s1 + 1.0) / (s1 + f1 + 2.0), p2 = (s2 + 1.0) / (s2 + f2 + 2.0);
                    now[at(s1, f1, s2)] = std::max(p1 * (1 + next[at(s1 + 1, f1, s2)]) + (1 - p1) * next[at(s1, f1 + 1, s2)],
                                                   p2 * (1 + next[at(s1, f1, s2 + 1)]) + (1 - p2) * next[at(s1, f1, s2)]);
                }
    }
    std::printf("%g %.10f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(), now[0]);
}
