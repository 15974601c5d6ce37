"""Fits y = w x by the shared library, without a compiler: python3 train.py LIBRARY"""
import ctypes
import sys
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int64, c_uint64, c_void_p


class Error(Structure):
    _fields_ = [("status", c_int), ("message", c_char * 512)]


class Shape(Structure):
    _fields_ = [("ndim", c_int), ("dim", c_int64 * 6)]


class Init(Structure):
    _fields_ = [("kind", c_int), ("scale", c_double)]


class OptimizerConfig(Structure):
    _fields_ = [("kind", c_int)] + [(name, c_float) for name in (
        "lr", "beta1", "beta2", "epsilon", "momentum", "weight_decay", "clip_norm")] + [("tape", c_void_p)]


SGD = 2


class Tensor(Structure):
    _fields_ = [("shape", Shape), ("data", POINTER(c_float)), ("grad", POINTER(c_float)),
                ("requires_grad", c_bool), ("tape", c_void_p), ("node", c_void_p)]


tensor = POINTER(Tensor)
lookback = ctypes.CDLL(sys.argv[1])


def function(name, result, *arguments):
    found = getattr(lookback, name)
    found.restype, found.argtypes = result, arguments
    return found


version = function("lb_version", c_char_p)
tape_new = function("lb_tape_new", c_void_p)
tape_reset = function("lb_tape_reset", None, c_void_p)
tape_free = function("lb_tape_free", None, c_void_p)
params_new = function("lb_params_new", c_void_p, c_uint64)
params_add = function("lb_params_add", tensor, c_void_p, c_char_p, c_char_p, Shape, Init)
params_free = function("lb_params_free", None, c_void_p)
sgd_new = function("lb_optimizer_new", c_void_p, c_void_p, OptimizerConfig)
sgd_free = function("lb_optimizer_free", None, c_void_p)
sgd_step = function("lb_optimizer_step", c_int, c_void_p, POINTER(Error))
tensor_new = function("lb_tensor_new", tensor, c_void_p, Shape, POINTER(c_float))
mul = function("lb_mul", tensor, tensor, tensor)
sub = function("lb_sub", tensor, tensor, tensor)
mean = function("lb_mean_all", tensor, tensor)
backward = function("lb_backward", c_int, tensor, POINTER(Error))


def shape(*dims):
    return Shape(len(dims), (c_int64 * 6)(*dims))


def values(tape, *numbers):
    return tensor_new(tape, shape(len(numbers)), (c_float * len(numbers))(*numbers))


tape, params = tape_new(), params_new(1)
weight = params_add(params, b"", b"w", shape(1), Init(0, 0.0))
sgd = sgd_new(params, OptimizerConfig(kind=SGD, lr=0.05))
failure = Error()
for _ in range(100):
    tape_reset(tape)
    error = sub(mul(values(tape, 1, 2, 3), weight), values(tape, 2, 4, 6))
    assert backward(mean(mul(error, error)), failure) == 0, failure.message
    assert sgd_step(sgd, failure) == 0, failure.message
fitted = weight.contents.data[0]
sgd_free(sgd)
params_free(params)
tape_free(tape)
print(f"lookback {version().decode()}: w = {fitted:.6f}")
assert abs(fitted - 2) < 1e-4
