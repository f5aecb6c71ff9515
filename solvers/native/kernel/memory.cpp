#include "memory.hpp"
