"""PPO of Stable-Baselines3 learns to explore two arms, and how far it is from Bayes-optimal.

It observes what happened so far as counts: the Bayes-adaptive environment, several copies of it.
The best that can be earned in 20 pulls is 12.43. Needs Stable-Baselines3 (pip install
stable-baselines3). 200,000 steps take about a minute on one core.
"""

import argparse
from typing import Any

import gymnasium
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import bamdp
from bamdp.comparing.policy_regret import policy_regret

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--timesteps", type=int, default=200_000, help="steps to train for")
parser.add_argument("--worlds", type=int, default=1000, help="worlds to evaluate in")
arguments = parser.parse_args()

ENVIRONMENT = "bamdp/BayesAdaptive-v0"
arms = bamdp.domains.Bandit([0.5, 0.5], discount=1.0, horizon=20)  # means are drawn from the prior
settings: dict[str, Any] = {"domain": arms, "flat": True}

torch.set_num_threads(1)  # the network is small
copies = make_vec_env(ENVIRONMENT, n_envs=8, seed=0, env_kwargs=settings)
model = PPO("MlpPolicy", copies, gamma=1.0, n_steps=256, batch_size=256, seed=0, device="cpu")
model.learn(arguments.timesteps)

result = policy_regret(
    lambda observation: model.predict(observation, deterministic=True)[0],
    gymnasium.make(ENVIRONMENT, **settings),
    worlds=arguments.worlds,
    seed=1,
)
print(result)
