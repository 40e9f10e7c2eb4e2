// SPDX-License-Identifier: GPL-2.0-only
#include "common/component.h"

namespace nadi
{

ComponentChoice
CompleteChoice(const ComponentInfo& info, ComponentChoice choice)
{
    choice.parameters = CompleteParameters(info.parameters, choice.parameters);
    return choice;
}

Parameters
ParseChoice(const ComponentInfo& info, const ComponentChoice& choice)
{
    return Parameters::Parse(info.parameters,
                             CompleteParameters(info.parameters, choice.parameters));
}

} // namespace nadi
