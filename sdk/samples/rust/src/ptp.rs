//! A safe layer on the C interface for statistics, with only what a component needs. It keeps no state between
//! batches, so that the host itself computes the means.

use crate::bindings::*;

use std::any::Any;
use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

/// Why a call fails: the experiment asks for something impossible, or a tensor is not as declared.
#[allow(dead_code)]
pub enum Error {
    Config(String),
    Data(String),
    /// The host itself has reported it.
    Host(ptp_status),
}

/// An input of floating numbers. All texts end with \0.
pub struct Port {
    pub name: &'static str,
    pub shape: &'static str,
    pub help: &'static str,
}

/// A number for each batch; that of a set is the mean, weighted by samples.
pub struct Statistic {
    pub name: &'static str,
    pub help: &'static str,
}

/// The interface of a statistic.
pub trait Component: Sized + Send {
    const PORTS: &'static [Port];
    const STATISTICS: &'static [Statistic];

    fn new() -> Result<Self, Error>;
    /// Processes a batch; there is one input for each port.
    fn forward(&mut self, inputs: &[Tensor]) -> Result<(), Error>;
    /// The numbers of that batch, in declared order.
    fn collect(&self, values: &mut [f64]);
}

/// A tensor in memory; it is valid during the call that received it.
pub struct Tensor<'a> {
    view: &'a ptp_tensor_view,
}

impl Tensor<'_> {
    pub fn shape(&self) -> &[i64] {
        match self.view.rank {
            0 => &[],
            rank => unsafe { slice::from_raw_parts(self.view.shape, rank as usize) },
        }
    }

    /// The number at this place, of float32 or float64 on the CPU.
    pub fn number(&self, place: &[i64]) -> Result<f64, Error> {
        let shape = self.shape();
        if place.len() != shape.len() || place.iter().zip(shape).any(|(at, size)| at < &0 || at >= size) {
            return Err(Error::Data(format!(
                "no number at {:?} of a tensor {:?}",
                place, shape
            )));
        }
        if self.view.device_type != 1 || self.view.type_code != 2 {
            return Err(Error::Data(
                "a tensor must have floating numbers on the CPU".to_string(),
            ));
        }
        let mut element = 0;
        let mut row_major = 1;
        for d in (0..shape.len()).rev() {
            let stride = match self.view.strides.is_null() {
                true => row_major,
                false => unsafe { *self.view.strides.add(d) },
            };
            element += place[d] * stride;
            row_major *= shape[d];
        }
        let data = unsafe { (self.view.data as *const u8).add(self.view.byte_offset as usize) };
        match self.view.type_bits {
            32 => Ok(unsafe { *(data as *const f32).offset(element as isize) } as f64),
            64 => Ok(unsafe { *(data as *const f64).offset(element as isize) }),
            bits => Err(Error::Data(format!(
                "a tensor has {} bits; must be float32 or float64",
                bits
            ))),
        }
    }
}

// ---- The boundary: everything below is called by the host ----

pub struct Instance<T> {
    host: *const ptp_host,
    component: T,
}

fn text_of(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic
            .downcast::<&str>()
            .map_or("?".to_string(), |text| text.to_string()),
    }
}

/// Runs `action` and converts errors and panics to a status and a message. No panic crosses the boundary.
unsafe fn guarded(host: *const ptp_host, action: impl FnOnce() -> Result<(), Error>) -> ptp_status {
    let (status, message) = match catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(())) => return PTP_OK as ptp_status,
        Ok(Err(Error::Host(status))) => return status,
        Ok(Err(Error::Config(message))) => (PTP_ERROR_CONFIG, message),
        Ok(Err(Error::Data(message))) => (PTP_ERROR_DATA, message),
        Err(panic) => (PTP_ERROR_INTERNAL, format!("panic: {}", text_of(panic))),
    };
    let message = CString::new(message.replace('\0', "?")).unwrap_or_default();
    if let Some(fail) = (*host).fail {
        fail((*host).context, status as ptp_status, message.as_ptr());
    }
    status as ptp_status
}

pub unsafe extern "C" fn create<T: Component>(
    host: *const ptp_host,
    _setup: *const ptp_setup,
    out: *mut *mut c_void,
) -> ptp_status {
    guarded(host, || {
        let component = T::new()?;
        *out = Box::into_raw(Box::new(Instance { host, component })) as *mut c_void;
        Ok(())
    })
}

pub unsafe extern "C" fn destroy<T: Component>(instance: *mut c_void) {
    drop(Box::from_raw(instance as *mut Instance<T>));
}

pub unsafe extern "C" fn forward<T: Component>(
    instance: *mut c_void,
    _step: *const ptp_step,
    inputs: *const *const ptp_value,
    _outputs: *const *mut ptp_value,
) -> ptp_status {
    let instance = &mut *(instance as *mut Instance<T>);
    let host = &*instance.host;
    let component = &mut instance.component;
    guarded(host, || {
        let mut views = Vec::new();
        for input in slice::from_raw_parts(inputs, T::PORTS.len()) {
            let mut view: ptp_tensor_view = std::mem::zeroed();
            let tensor_view = host.tensor_view.expect("a host has tensor_view()");
            let status = tensor_view(host.context, *input, &mut view);
            if status != PTP_OK as ptp_status {
                return Err(Error::Host(status));
            }
            views.push(view);
        }
        let tensors: Vec<Tensor> = views.iter().map(|view| Tensor { view }).collect();
        component.forward(&tensors)
    })
}

unsafe extern "C" fn reset(_instance: *mut c_void, _set: u64) -> ptp_status {
    PTP_OK as ptp_status
}

unsafe extern "C" fn collect<T: Component>(instance: *mut c_void, _set: u64, values: *mut f64) -> ptp_status {
    let instance = &*(instance as *const Instance<T>);
    guarded(instance.host, || {
        instance
            .component
            .collect(slice::from_raw_parts_mut(values, T::STATISTICS.len()));
        Ok(())
    })
}

/// Does nothing: only computed statistics need it.
unsafe extern "C" fn aggregate(_instance: *mut c_void, _set: u64, _values: *mut f64) -> ptp_status {
    PTP_OK as ptp_status
}

pub unsafe extern "C" fn extension<T: Component>(id: *const c_char) -> *const c_void {
    if CStr::from_ptr(id).to_bytes_with_nul() != PTP_EXTENSION_STATISTICS {
        return std::ptr::null();
    }
    &Abilities::<T>::STATISTICS as *const ptp_statistics as *const c_void
}

struct Abilities<T>(PhantomData<T>);

impl<T: Component> Abilities<T> {
    const STATISTICS: ptp_statistics = ptp_statistics {
        struct_size: std::mem::size_of::<ptp_statistics>() as u32,
        reset: Some(reset),
        collect: Some(collect::<T>),
        aggregate: Some(aggregate),
    };
}

/// A constant that lives until the process ends, as descriptions must.
pub fn kept<T>(value: T) -> *const T {
    Box::leak(Box::new(value))
}

fn pointers<T>(values: Vec<T>) -> *const *const T {
    let pointers: Vec<*const T> = values.into_iter().map(kept).collect();
    Box::leak(pointers.into_boxed_slice()).as_ptr()
}

pub fn text(text: &'static str) -> *const c_char {
    assert!(text.ends_with('\0'), "a text of the boundary ends with \\0");
    text.as_ptr() as *const c_char
}

fn port(port: &Port) -> ptp_port_info {
    ptp_port_info {
        struct_size: std::mem::size_of::<ptp_port_info>() as u32,
        direction: PTP_INPUT as ptp_direction,
        element: PTP_FLOAT as ptp_element,
        name: text(port.name),
        shape: text(port.shape),
        help: text(port.help),
        ..unsafe { std::mem::zeroed() }
    }
}

fn statistic(statistic: &Statistic) -> ptp_statistic_info {
    ptp_statistic_info {
        struct_size: std::mem::size_of::<ptp_statistic_info>() as u32,
        aggregation: PTP_AGGREGATE_MEAN as ptp_aggregation,
        decimals: 4,
        name: text(statistic.name),
        help: text(statistic.help),
        ..unsafe { std::mem::zeroed() }
    }
}

/// The description of a plugin with this component.
pub fn describe<T: Component>(plugin: [&'static str; 3], component: [&'static str; 2]) -> ptp_plugin_info {
    let info = ptp_component_info {
        struct_size: std::mem::size_of::<ptp_component_info>() as u32,
        kind: PTP_STATISTIC as ptp_kind,
        name: text(component[0]),
        summary: text(component[1]),
        port_count: T::PORTS.len() as u32,
        ports: pointers(T::PORTS.iter().map(port).collect()),
        statistic_count: T::STATISTICS.len() as u32,
        statistics: pointers(T::STATISTICS.iter().map(statistic).collect()),
        create: Some(create::<T>),
        destroy: Some(destroy::<T>),
        forward: Some(forward::<T>),
        extension: Some(extension::<T>),
        ..unsafe { std::mem::zeroed() }
    };
    let build = ptp_build {
        struct_size: std::mem::size_of::<ptp_build>() as u32,
        libtorch: std::ptr::null(),
        standard_library: text("none\0"),
        sanitizer: text("none\0"),
        compiler: text("rustc\0"),
    };
    ptp_plugin_info {
        abi_major: PTP_ABI_MAJOR,
        abi_minor: PTP_ABI_MINOR,
        struct_size: std::mem::size_of::<ptp_plugin_info>() as u32,
        component_count: 1,
        name: text(plugin[0]),
        version: text(plugin[1]),
        license: text(plugin[2]),
        build: kept(build),
        components: pointers(vec![info]),
        ..unsafe { std::mem::zeroed() }
    }
}

/// Space for the manifest and its seal, which `ptp-manifest --embed` fills.
#[repr(C, align(4))]
pub struct Room {
    header: [u32; 3],
    owner: [u8; 4],
    manifest: [u8; 65536],
    seal_header: [u32; 3],
    seal_owner: [u8; 4],
    seal: [u8; 64],
}

impl Room {
    pub const fn empty() -> Room {
        Room {
            header: [4, 65536, 1],
            owner: *b"PTP\0",
            manifest: [b' '; 65536],
            seal_header: [4, 64, 2],
            seal_owner: *b"PTP\0",
            seal: [b'0'; 64],
        }
    }
}

/// The entry, and the space for the manifest.
macro_rules! plugin {
    (name: $name:expr, version: $version:expr, license: $license:expr, component: $component:ty,
     component_name: $component_name:expr, summary: $summary:expr $(,)?) => {
        #[used]
        #[link_section = ".note.ptp"]
        static PTP_ROOM: $crate::ptp::Room = $crate::ptp::Room::empty();

        #[no_mangle]
        pub extern "C" fn ptp_plugin_entry() -> *const $crate::bindings::ptp_plugin_info {
            static MADE: std::sync::Once = std::sync::Once::new();
            static mut INFO: *const $crate::bindings::ptp_plugin_info = std::ptr::null();
            unsafe {
                MADE.call_once(|| {
                    INFO = $crate::ptp::kept($crate::ptp::describe::<$component>(
                        [$name, $version, $license],
                        [$component_name, $summary],
                    ));
                });
                INFO
            }
        }
    };
}
pub(crate) use plugin;
