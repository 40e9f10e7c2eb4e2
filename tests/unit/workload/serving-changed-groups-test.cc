// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/small-expert-model.h"
#include "workload/models/model-parameters.h"
#include "workload/serving/changed-groups.h"
#include "workload/serving/serving-instances.h"

#include <catch2/catch.hpp>

#include <deque>

using namespace nadi;

namespace
{

/// Three instances of four replicas, of which two step together: two groups each.
ServeOptions
MakeThreeInstances()
{
    ServeOptions serve;
    serve.model.parameters = test::SmallExpertModel();
    InstanceOptions instance;
    instance.count = 3;
    instance.data = 4;
    instance.expert = 2;
    serve.instances = {instance};
    return serve;
}

} // namespace

TEST_CASE("ChangedGroups: a decision looks at the groups that something happened to, and once",
          "[unit][workload][serving]")
{
    const ServeOptions serve = MakeThreeInstances();
    const std::deque<ServingInstance> instances = MakeServingInstances(serve, 1);
    std::deque<InstanceState> states;
    for (const ServingInstance& instance : instances)
    {
        states.emplace_back(instance, serve, nullptr, 1);
    }
    ChangedGroups changed(states);
    CHECK(changed.All().empty());

    changed.Add(instances[2], 1);
    CHECK(&changed.Change({&instances[2], 0}) == &states[2].BatcherOf(0));
    CHECK(&changed.Change({&instances[0], 3}) == &states[0].BatcherOf(3));
    changed.Add(instances[2], 0);
    const ChangedGroups::Groups expected{{0, {1}}, {2, {0, 1}}};
    CHECK(changed.All() == expected);
    CHECK(changed.Take() == expected);
    CHECK(changed.All().empty());
}
