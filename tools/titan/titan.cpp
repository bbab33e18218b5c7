//===- titan.cpp - the driver ---------------------------------------------===//
#include "titan/Driver/Driver.h"

int main(int argc, char **argv) { return titan::driverMain(argc, argv); }
